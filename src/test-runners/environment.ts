/** A simulator for the processes of a run: the one that it is pointed at, or one that its global setup starts. */
import type { Simulator } from "../simulator.js";

/** A simulator that the run is pointed at from outside, such as one in a container. */
export function environment(): {
  readonly url: string | undefined;
  readonly controlToken: string | undefined;
} {
  const { MESSAGING_SIM_URL, MESSAGING_SIM_CONTROL_TOKEN } = process.env;
  return { url: MESSAGING_SIM_URL || undefined, controlToken: MESSAGING_SIM_CONTROL_TOKEN || undefined };
}

/** Starts a simulator, unless the run is pointed at one. */
export async function startForRun(): Promise<Simulator | undefined> {
  if (environment().url !== undefined) return undefined;
  const { createSimulator } = await import("../simulator.js");
  return createSimulator();
}

/** Runners hand nothing from their setup to their teardown, which may be another module. */
const STARTED = Symbol.for("messaging-sim.run");

/** Starts a simulator, unless the run is pointed at one, and points the processes at it that are started from now on. */
export async function setUpRun(): Promise<void> {
  const simulator = await startForRun();
  if (simulator === undefined) return;
  Reflect.set(globalThis, STARTED, simulator);
  process.env.MESSAGING_SIM_URL = simulator.url;
}

/** Ends what `setUpRun` started: the next run of a process that watches begins with another. */
export async function tearDownRun(): Promise<void> {
  const simulator: Simulator | undefined = Reflect.get(globalThis, STARTED);
  if (simulator === undefined) return;
  Reflect.deleteProperty(globalThis, STARTED);
  delete process.env.MESSAGING_SIM_URL;
  await simulator.close();
}
