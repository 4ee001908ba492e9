/**
 * One simulator for a whole vitest run, with any number of workers. Without it, each worker starts its own.
 *
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { globalSetup: ["messaging-sim/vitest/setup"] } });
 */
import { environment, setUpRun } from "./run-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the simulator that the global setup started. */
    messagingSimUrl?: string;
  }
}

/** Starts the simulator, unless the run uses an external one; vitest calls the returned function at the end. */
export async function setup(project: {
  provide(name: "messagingSimUrl", url: string): void;
}): Promise<() => Promise<void>> {
  const end = await setUpRun();
  project.provide("messagingSimUrl", environment().url ?? "");
  return end;
}
