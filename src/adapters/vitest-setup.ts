/**
 * One simulator for a whole vitest run, with any number of workers. Without it, each worker starts its own.
 *
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { globalSetup: ["messaging-sim/vitest/setup"] } });
 */
export { setUpRun as setup } from "./run-server.js";
