/** A simulator for the processes of a run: the one that it is pointed at, or one that its global setup starts. */
import type { Simulator } from "../server/simulator.js";
import { tellCoverage } from "./coverage.js";
import { environment, pointAt } from "./environment.js";

/** Starts a simulator, unless the run is pointed at one. */
export async function startForRun(): Promise<Simulator | undefined> {
  if (environment().url !== undefined) return undefined;
  const { createSimulator } = await import("../server/simulator.js");
  return createSimulator();
}

/** Tells what the whole run has met, and ends the simulator that was started for it. */
export async function endRun(simulator: Simulator | undefined): Promise<void> {
  const { url, controlToken } = environment();
  const address = simulator?.url ?? url;
  if (address !== undefined) await tellCoverage(address, controlToken);
  await simulator?.close();
}

/** Runners hand nothing from their setup to their teardown, which may be another module. */
const STARTED = Symbol.for("messaging-sim.run");

/** Starts a simulator, unless the run is pointed at one, and points the processes at it that are started from now on. */
export async function setUpRun(): Promise<void> {
  const simulator = await startForRun();
  if (simulator === undefined) return;
  Reflect.set(globalThis, STARTED, simulator);
  pointAt(simulator.url);
}

/** Ends what `setUpRun` started: the next run of a process that watches begins with another. */
export async function tearDownRun(): Promise<void> {
  const simulator: Simulator | undefined = Reflect.get(globalThis, STARTED);
  await endRun(simulator);
  if (simulator === undefined) return;
  Reflect.deleteProperty(globalThis, STARTED);
  pointAt(undefined);
}
