/**
 * One simulator for a whole run of vitest, however many workers it has. Without it each worker starts its own.
 *
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { globalSetup: ["messaging-sim/vitest/setup"] } });
 */
import { pointAt } from "./environment.js";
import { endRun, startForRun } from "./run-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the simulator that the global setup started. */
    messagingSimUrl?: string;
  }
}

/** What vitest hands to a global setup, as far as it is used. */
interface Project {
  provide(name: "messagingSimUrl", url: string): void;
}

/** Starts the simulator, unless the run is pointed at one; vitest calls what it resolves to at the end. */
export async function setup(project: Project): Promise<() => Promise<void>> {
  const simulator = await startForRun();
  if (simulator === undefined) return () => endRun(undefined);
  project.provide("messagingSimUrl", simulator.url);
  // For what reads the environment of the workers, such as `messaging-sim/intercept`.
  pointAt(simulator.url);
  return async () => {
    await endRun(simulator);
    pointAt(undefined);
  };
}
