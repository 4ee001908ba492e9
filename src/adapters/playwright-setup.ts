/**
 * One simulator for a whole Playwright run, with any number of workers. Without it, each worker starts its own.
 *
 * @example
 * // playwright.config.js
 * export default defineConfig({ globalSetup: "messaging-sim/playwright/setup" });
 */
export { setUpRun as default } from "./run-server.js";
