/** Runs a scenario on one of the two sides of a comparison, and keeps every answer. */
import { given } from "../kernel/given.js";
import { MAKER_HEADER } from "../scenarios/api.js";
import { Http } from "../scenarios/http.js";
import { resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { StepReport } from "../scenarios/report.js";
import { Runner } from "../scenarios/runner.js";
import type { ParsedStep } from "../scenarios/step.js";
import { type Target, transportTo } from "../scenarios/target.js";
import { isRequest, isSimulatorOnly, simulatorSteps } from "./plan.js";
import { ApiRecorder, type Recorded } from "./recorder.js";
import type { Omission, StepMention } from "./report.js";

/** One request step as one side took it. */
export interface StepTrace extends StepMention {
  readonly rounds?: readonly number[];
  /** Undefined when the call could not be made. */
  readonly recorded?: Recorded;
  /** Why it could not be made. */
  readonly problem?: string;
  /** In what way the answer is not as the scenario expects. */
  readonly unexpected?: string;
  /** The steps before it that only the simulator takes. */
  readonly after: readonly StepMention[];
}

export interface RunTrace {
  /** The request steps by their paths and rounds. */
  readonly steps: ReadonlyMap<string, StepTrace>;
  /** Other steps that failed. */
  readonly failures: readonly Omission[];
}

/** No simulator takes as long. */
const SIMULATOR_TIMEOUT_MS = 60_000;
/** Nothing is delivered while answers are compared: a run that is repeated for its answers must not call anybody. */
const MUTE = { on: "delivery", then: { drop: "before" } };

/**
 * Runs a scenario in full in the sandbox `default`, which also answers calls without a known token, with some behaviour
 * values in place of its own.
 *
 * @throws UnusableScenario, SimError
 */
export async function simulatorTrace(
  scenario: Scenario,
  server: Target,
  values: Readonly<Record<string, unknown>> = {},
): Promise<RunTrace> {
  const http = new Http();
  const transport = transportTo(server, http);
  const mute = () => transport.call("POST", "/faults", { body: MUTE });
  const reset = async () => {
    await resetSandbox(scenario, server);
    if (Object.keys(values).length > 0) await transport.call("PATCH", "/behaviour", { body: values });
    await mute();
  };
  const recorder = new ApiRecorder({
    http,
    base: server.url,
    headers: MAKER_HEADER,
    timeoutMs: SIMULATOR_TIMEOUT_MS,
  });
  const trace = new Trace(recorder);
  const onStep = async (step: StepReport) => {
    trace.add(step);
    if (step.step === "clearFaults") await mute();
  };
  const run = new Runner(scenario, server, { http, reset, keepGoing: true, sendApi: recorder.send, onStep });
  try {
    await run.reset();
    await run.execute(simulatorSteps(scenario));
    return trace;
  } finally {
    http.close();
  }
}

/** Sends a scenario's requests to another address, and nothing else. */
export async function otherTrace(
  scenario: Scenario,
  { url, timeoutMs }: { readonly url: string; readonly timeoutMs: number },
  steps: readonly ParsedStep[],
): Promise<RunTrace> {
  const http = new Http();
  // The other side is no simulator that we know of: it gets nothing of ours.
  const recorder = new ApiRecorder({ http, base: url, headers: {}, timeoutMs });
  const trace = new Trace(recorder);
  const onStep = (step: StepReport) => trace.add(step);
  try {
    await new Runner(scenario, { url }, { http, keepGoing: true, sendApi: recorder.send, onStep }).execute(
      steps,
    );
    return trace;
  } finally {
    http.close();
  }
}

/** What the reports of a run's steps and the recorder of its calls say together. */
class Trace implements RunTrace {
  readonly steps = new Map<string, StepTrace>();
  readonly failures: Omission[] = [];
  readonly #recorder: ApiRecorder;
  readonly #after: StepMention[] = [];

  constructor(recorder: ApiRecorder) {
    this.#recorder = recorder;
  }

  add({ step, name, place, rounds, ok, message = "failed", nearMisses }: StepReport): void {
    const recorded = this.#recorder.take();
    if (isRequest(step)) {
      const problem = recorded === undefined ? message : undefined;
      // Of all failures of a request only an answer that is not as expected has near misses.
      const unexpected = ok || nearMisses === undefined ? undefined : message;
      const key = [place.path, ...(rounds ?? [])].join(" ");
      const more = given({ rounds, recorded, problem, unexpected });
      this.steps.set(key, { name, place, ...more, after: [...this.#after] });
      return;
    }
    if (isSimulatorOnly(step)) this.#after.push({ name, place });
    if (!ok) this.failures.push({ name, place, reason: message });
  }
}
