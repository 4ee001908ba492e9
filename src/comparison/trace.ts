/** Runs a scenario on one of the two sides of a comparison, and keeps every answer. */
import { given } from "../kernel/given.js";
import { inTime } from "../kernel/realtime.js";
import { parsedBody, sendAsScenario } from "../scenarios/api.js";
import { Http, type HttpAnswer, type HttpCall } from "../scenarios/http.js";
import { resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { StepReport } from "../scenarios/report.js";
import { Runner } from "../scenarios/runner.js";
import type { ParsedStep } from "../scenarios/step.js";
import { type Target, transportTo } from "../scenarios/target.js";
import { isRequest, isSimulatorOnly, simulatorSteps } from "./plan.js";
import type { Omission, StepMention } from "./report.js";

/** A call of the scenario as it went out, and what came back. */
export interface Recorded {
  /** `POST /api/update-thread-status` */
  readonly call: string;
  /** The token that was sent. */
  readonly token: string | undefined;
  /** The parsed body that was sent. */
  readonly sent: unknown;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Why there was no answer. */
  readonly problem?: string;
}

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

/** What one side did with a scenario. */
export interface RunTrace {
  /** The request steps by their paths and rounds. */
  readonly steps: ReadonlyMap<string, StepTrace>;
  /** Other steps that failed. */
  readonly failures: readonly Omission[];
}

/** No simulator takes as long. */
const SIMULATOR_TIMEOUT_MS = 60_000;
/** Nothing is delivered while answers are compared: a run that is repeated for its answers must call no receiver. */
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
  const http = new Http({ isOwn: server.isOwn });
  const trace = new TraceRecorder(sendAsScenario(http), server.url, SIMULATOR_TIMEOUT_MS);
  const transport = transportTo(server, http);
  const mute = () => transport.call("POST", "/faults", { body: MUTE });
  const reset = async () => {
    await resetSandbox(scenario, server);
    if (Object.keys(values).length > 0) await transport.call("PATCH", "/behaviour", { body: values });
    await mute();
  };
  const onStep = async (step: StepReport) => {
    trace.add(step);
    if (step.step === "clearFaults") await mute();
  };
  const runner = new Runner(scenario, server, { http, reset, keepGoing: true, sendApi: trace.send, onStep });
  try {
    await runner.reset();
    await runner.execute(simulatorSteps(scenario));
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
  // The other side may be no simulator: it gets no header of ours.
  const trace = new TraceRecorder((call) => http.send(call), url, timeoutMs);
  const onStep = (step: StepReport) => trace.add(step);
  const runner = new Runner(scenario, { url }, { http, keepGoing: true, sendApi: trace.send, onStep });
  try {
    await runner.execute(steps);
    return trace;
  } finally {
    http.close();
  }
}

/** Sends the scenario's own calls of one run, and puts their answers and the reports of its steps together. */
class TraceRecorder implements RunTrace {
  readonly steps = new Map<string, StepTrace>();
  readonly failures: Omission[] = [];
  readonly #after: StepMention[] = [];
  #newest: Recorded | undefined;

  /** @param timeoutMs how long an answer may take */
  constructor(
    readonly sendCall: (call: HttpCall) => Promise<HttpAnswer>,
    readonly base: string,
    readonly timeoutMs: number,
  ) {}

  send = async (call: HttpCall): Promise<HttpAnswer> => {
    const made = {
      call: `${call.method} ${call.url.slice(this.base.length)}`,
      token: call.headers.token,
      sent: call.body === undefined ? undefined : parsedBody(call.body),
    };
    try {
      const answer = await inTime(
        this.timeoutMs,
        this.sendCall(call),
        `no answer within ${this.timeoutMs} ms`,
      );
      const body = answer.text === "" ? undefined : parsedBody(answer.text);
      this.#newest = { ...made, status: answer.status, headers: answer.headers, body };
      return answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = message === "" ? code : message;
      this.#newest = { ...made, status: null, headers: {}, body: undefined, ...given({ problem }) };
      throw error;
    }
  };

  add({ step, name, place, rounds, ok, message = "failed", nearMisses }: StepReport): void {
    const recorded = this.#newest;
    this.#newest = undefined;
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
