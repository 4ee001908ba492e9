/**
 * One simulator for a whole run of vitest, however many workers it has. Without it each worker starts its own.
 *
 * @example
 * // vitest.config.ts
 * export default defineConfig({ test: { globalSetup: ["messaging-sim/vitest/setup"] } });
 */
import { createSimulator } from "../simulator.js";

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
export async function setup(project: Project): Promise<(() => Promise<void>) | undefined> {
  if (environment().url !== undefined) return undefined;
  const simulator = await createSimulator();
  project.provide("messagingSimUrl", simulator.url);
  return () => simulator.close();
}

/** A simulator that the run is pointed at from outside, such as one in a container. */
export function environment(): {
  readonly url: string | undefined;
  readonly controlToken: string | undefined;
} {
  const { MESSAGING_SIM_URL, MESSAGING_SIM_CONTROL_TOKEN } = process.env;
  return { url: MESSAGING_SIM_URL || undefined, controlToken: MESSAGING_SIM_CONTROL_TOKEN || undefined };
}
