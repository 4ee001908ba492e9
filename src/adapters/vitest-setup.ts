/**
 * One simulator for a whole vitest run, with any number of workers. Without it, each worker starts its own.
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

/** The part of vitest's context for a global setup that is used. */
interface Project {
  provide(name: "messagingSimUrl", url: string): void;
}

/** Starts the simulator, unless the run uses an external one; vitest calls the returned function at the end. */
export async function setup(project: Project): Promise<() => Promise<void>> {
  const simulator = await startForRun();
  if (simulator === undefined) return () => endRun(undefined);
  project.provide("messagingSimUrl", simulator.url);
  // For code that reads the environment of the workers, such as `messaging-sim/intercept`.
  pointAt(simulator.url);
  return async () => {
    await endRun(simulator);
    pointAt(undefined);
  };
}
