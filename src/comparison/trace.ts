/** Runs a scenario on one of the two sides of a comparison, and keeps every answer. */
import { given } from "../kernel/given.js";
import type { HttpAnswer, HttpCall, Target } from "../scenarios/http.js";
import { Http, sendAsScenario, transportTo } from "../scenarios/http.js";
import { resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { StepReport } from "../scenarios/report.js";
import { Runner } from "../scenarios/runner.js";
import type { ParsedStep, StepKind } from "../scenarios/step.js";
import { worksAnywhere } from "../scenarios/step.js";
import type { TracedCall } from "../scenarios/trace.js";
import { tracing } from "../scenarios/trace.js";
import type { Omission, StepMention } from "./report.js";

/** One request step as one side took it. */
export interface StepTrace extends StepMention {
  readonly rounds?: readonly number[];
  /** Undefined when the call could not be made. */
  readonly recorded?: TracedCall;
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
  const http = new Http({ agent: server.agent });
  const trace = new TraceRecorder(sendAsScenario(http), server.url, SIMULATOR_TIMEOUT_MS);
  const transport = transportTo(server, http);
  const mute = () => transport.call("POST", "/faults", { body: MUTE });
  const reset = async () => {
    await resetSandbox(scenario, server);
    if (Object.keys(values).length > 0) await transport.call("PATCH", "/behaviour", { body: values });
    await mute();
  };
  const onStep = async (report: StepReport, step: ParsedStep) => {
    trace.add(report, step);
    if (step.kind.call?.route === "DELETE /faults") await mute();
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
  const onStep = (report: StepReport, step: ParsedStep) => trace.add(report, step);
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
  #newest: TracedCall | undefined;

  readonly send: (call: HttpCall) => Promise<HttpAnswer>;

  constructor(send: (call: HttpCall) => Promise<HttpAnswer>, base: string, timeoutMs: number) {
    const onCall = (call: TracedCall) => {
      this.#newest = call;
    };
    this.send = tracing(send, { base, timeoutMs, onCall });
  }

  add(
    { name, place, rounds, ok, message = "failed", nearMisses }: StepReport,
    { kind: { effect } }: ParsedStep,
  ): void {
    const recorded = this.#newest;
    this.#newest = undefined;
    if (effect === "calls") {
      const problem = recorded === undefined ? message : undefined;
      // Of all failures of a request only an answer that is not as expected has near misses.
      const unexpected = ok || nearMisses === undefined ? undefined : message;
      const key = [place.path, ...(rounds ?? [])].join(" ");
      const more = given({ rounds, recorded, problem, unexpected });
      this.steps.set(key, { name, place, ...more, after: [...this.#after] });
      return;
    }
    if (effect === "controls") this.#after.push({ name, place });
    if (!ok) this.failures.push({ name, place, reason: message });
  }
}

/** What `pick` makes of each step, those inside a `repeat` too; without those of which it makes nothing. */
function pickSteps(
  steps: readonly ParsedStep[],
  pick: (step: ParsedStep) => ParsedStep | undefined,
): ParsedStep[] {
  return steps.flatMap((step) => {
    const picked = pick(step);
    if (picked === undefined) return [];
    return [step.steps === undefined ? picked : { ...picked, steps: pickSteps(step.steps, pick) }];
  });
}

/** No answer of the API depends on a step that observes, or sends events to receivers: neither side takes it. */
const isLeftOut = ({ effect }: StepKind): boolean => effect === "observes" || effect === "emits";

/** The scenario as the simulator runs it. */
const simulatorSteps = (scenario: Scenario): ParsedStep[] =>
  pickSteps(scenario.steps, (step) => (isLeftOut(step.kind) ? undefined : step));

interface OtherSteps {
  readonly steps: readonly ParsedStep[];
  /** Requests that cannot be sent there, and why. */
  readonly notSent: readonly Omission[];
}

/**
 * The scenario as the other side gets it: its requests.
 *
 * @param tokenFor the other side's token for one that a step names; undefined where it has none
 */
export function otherSteps(scenario: Scenario, tokenFor: (name: string) => string | undefined): OtherSteps {
  const notSent: Omission[] = [];
  const steps = pickSteps(scenario.steps, (step) => {
    const { kind, input, name, place } = step;
    if (kind.effect !== "calls") return worksAnywhere(kind) ? step : undefined;
    const named = tokenOf(step, scenario);
    if (named === undefined) return step;
    const token = tokenFor(named);
    if (token !== undefined) return { ...step, input: { ...input, token } };
    const reason = `the token ${named} has no counterpart there: name it with --token-for ${named}=KEY`;
    notSent.push({ name, place, reason });
    return undefined;
  });
  return { steps, notSent };
}

/** The tokens that requests of a scenario use, in order. */
export const tokensIn = (scenario: Scenario, steps = scenario.steps): string[] =>
  steps.flatMap((step) => [
    ...(step.kind.effect === "calls" ? (tokenOf(step, scenario) ?? []) : []),
    ...tokensIn(scenario, step.steps ?? []),
  ]);

function tokenOf({ input }: ParsedStep, scenario: Scenario): string | undefined {
  const named = input.token === undefined ? scenario.token : input.token;
  return typeof named === "string" ? named : undefined;
}
