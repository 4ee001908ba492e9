/** A simulator for the processes of a run, external or started by the global setup, and the coverage of the run. */
import { controlApi } from "../client/transport.js";
import type { CoverageReport } from "../client/types.js";
import { urlFrom } from "../kernel/names.js";
import type { Simulator } from "../server/simulator.js";

/** The environment's settings: an external simulator for the run, and whether to report coverage. */
export const environment = () => ({
  url: addressIn(process.env.MESSAGING_SIM_URL || undefined),
  controlToken: process.env.MESSAGING_SIM_CONTROL_TOKEN || undefined,
  coverage: process.env.MESSAGING_SIM_COVERAGE || undefined,
});

/** @throws TypeError unless it is an address */
function addressIn(text: string | undefined): string | undefined {
  if (text === undefined || urlFrom(text) !== undefined) return text;
  throw new TypeError(`MESSAGING_SIM_URL must be an address such as http://127.0.0.1:4020, but is "${text}"`);
}

/** Runners pass nothing from setup to teardown, which may be in different modules. */
const STARTED = Symbol.for("messaging-sim.run");

/** Starts a simulator, unless the run uses an external one, and points processes started from now on at it; returns what ends it. */
export async function setUpRun(): Promise<() => Promise<void>> {
  // Jest calls this once for each project: the later ones find the simulator of the first in the environment.
  if (environment().url === undefined) {
    const { createSimulator } = await import("../server/simulator.js");
    const simulator = await createSimulator();
    process.env.MESSAGING_SIM_URL = simulator.url;
    Reflect.set(globalThis, STARTED, simulator);
  }
  return tearDownRun;
}

/** Reports the coverage of the whole run, and stops the simulator that was started for it: in watch mode, the next run starts another. */
export async function tearDownRun(): Promise<void> {
  const { url, controlToken } = environment();
  if (url !== undefined) await tellCoverage(url, controlToken);
  const simulator: Simulator | undefined = Reflect.get(globalThis, STARTED);
  if (simulator === undefined) return;
  await simulator.close();
  delete process.env.MESSAGING_SIM_URL;
  Reflect.deleteProperty(globalThis, STARTED);
}

/** Prints the coverage of the tests if `MESSAGING_SIM_COVERAGE` is set. Does not fail: the tests are over. */
export async function tellCoverage(url: string, controlToken?: string | undefined): Promise<void> {
  if (environment().coverage === undefined) return;
  try {
    const report = await controlApi(url, { controlToken }).call<CoverageReport>("GET", "/coverage");
    const { COVERAGE_REPORTERS } = await import("../lab/coverage/reporters.js");
    process.stdout.write(`\n${COVERAGE_REPORTERS.pretty(report)}\n`);
  } catch (error) {
    process.stderr.write(`MESSAGING_SIM_COVERAGE: ${(error as Error).message}\n`);
  }
}
