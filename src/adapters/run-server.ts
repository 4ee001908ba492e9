/** A simulator for the processes of a run: an external one, or one that the global setup starts. */
import type { Simulator } from "../server/simulator.js";
import { tellCoverage } from "./coverage.js";
import { environment, pointAt } from "./environment.js";

/** Starts a simulator, unless the run uses an external one. */
export async function startForRun(): Promise<Simulator | undefined> {
  if (environment().url !== undefined) return undefined;
  const { createSimulator } = await import("../server/simulator.js");
  return createSimulator();
}

/** Reports the coverage of the whole run, and stops the simulator that was started for it. */
export async function endRun(simulator: Simulator | undefined): Promise<void> {
  const { url, controlToken } = environment();
  const address = simulator?.url ?? url;
  if (address !== undefined) await tellCoverage(address, controlToken);
  await simulator?.close();
}

/** Runners pass nothing from setup to teardown, which may be in different modules. */
const STARTED = Symbol.for("messaging-sim.run");

/** Starts a simulator, unless the run uses an external one, and points processes started from now on at it. */
export async function setUpRun(): Promise<void> {
  const simulator = await startForRun();
  if (simulator === undefined) return;
  Reflect.set(globalThis, STARTED, simulator);
  pointAt(simulator.url);
}

/** Stops what `setUpRun` started: in watch mode, the next run starts another. */
export async function tearDownRun(): Promise<void> {
  const simulator: Simulator | undefined = Reflect.get(globalThis, STARTED);
  await endRun(simulator);
  if (simulator === undefined) return;
  Reflect.deleteProperty(globalThis, STARTED);
  pointAt(undefined);
}
