/**
 * One simulator for a whole Playwright run, with any number of workers. Without it, each worker starts its own.
 *
 * @example
 * // playwright.config.js
 * export default defineConfig({ globalSetup: "messaging-sim/playwright/setup" });
 */
import { endRun, startForRun } from "./run-server.js";

/** Starts the simulator, unless the run uses an external one; Playwright calls the returned function at the end. */
export default async function setup(): Promise<() => Promise<void>> {
  const simulator = await startForRun();
  return () => endRun(simulator);
}
