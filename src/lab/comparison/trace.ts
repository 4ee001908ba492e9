/** Runs a scenario on one side of a comparison, and keeps every answer. */
import { omitUndefined } from "../../kernel/objects.js";
import type { HttpAnswer, HttpCall, Target } from "../../scenarios/http.js";
import { Http, sendAsScenario, transportTo } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { StepReport } from "../../scenarios/report.js";
import { Runner } from "../../scenarios/runner.js";
import type { ParsedStep, StepKind } from "../../scenarios/step.js";
import { allSteps, mapSteps, worksAnywhere } from "../../scenarios/step.js";
import type { TracedCall } from "../../scenarios/trace.js";
import { tracing } from "../../scenarios/trace.js";
import type { Omission, StepMention } from "./report.js";

/** One request step on one side. */
export interface StepTrace extends StepMention {
  readonly rounds?: readonly number[];
  readonly recorded?: TracedCall;
  /** Why the call could not be made. */
  readonly problem?: string;
  /** How the answer differs from the scenario's expectation. */
  readonly unexpected?: string;
  /** Earlier steps that only the simulator takes. */
  readonly after: readonly StepMention[];
}

export interface RunTrace {
  /** The request steps by their paths and rounds. */
  readonly steps: ReadonlyMap<string, StepTrace>;
  /** Other steps that failed. */
  readonly failures: readonly Omission[];
}

const SIMULATOR_TIMEOUT_MS = 60_000;
/** Comparisons deliver nothing: a repeated run must not call receivers. */
const MUTE = { on: "delivery", then: { drop: "before" } };

/**
 * Runs a whole scenario in the sandbox `default`, which also answers calls with unknown tokens, with some behaviour values
 * overridden.
 *
 * @throws UnusableScenario, SimError
 */
export async function simulatorTrace(
  scenario: Scenario,
  server: Target,
  values: Readonly<Record<string, unknown>> = {},
): Promise<RunTrace> {
  const http = new Http({ isOwn: server.isOwn });
  const transport = transportTo(server, http);
  const mute = () => transport.call("POST", "/faults", { body: MUTE });
  const reset = async () => {
    await resetSandbox(scenario, server);
    if (Object.keys(values).length > 0) await transport.call("PATCH", "/behaviour", { body: values });
    await mute();
  };
  const afterStep = async ({ kind }: ParsedStep) => {
    if (kind.call?.route === "DELETE /faults") await mute();
  };
  const steps = mapSteps(scenario.steps, (step) => (isLeftOut(step.kind) ? undefined : step));
  const timeoutMs = SIMULATOR_TIMEOUT_MS;
  return traced(scenario, server, steps, { http, send: sendAsScenario(http), timeoutMs, reset, afterStep });
}

/** Sends only a scenario's requests, to another address. */
export async function otherTrace(
  scenario: Scenario,
  { url, timeoutMs }: { readonly url: string; readonly timeoutMs: number },
  steps: readonly ParsedStep[],
): Promise<RunTrace> {
  const http = new Http();
  // The other side may be a real service: it gets no header of the simulator.
  const send = ({ headers, ...call }: HttpCall) =>
    http.send({ ...call, headers: { "accept-encoding": "identity", ...headers } });
  return traced(scenario, { url }, steps, { http, send, timeoutMs });
}

interface Side {
  readonly http: Http;
  readonly send: (call: HttpCall) => Promise<HttpAnswer>;
  readonly timeoutMs: number;
  /** Awaited before the first step too. */
  readonly reset?: () => Promise<void>;
  readonly afterStep?: (step: ParsedStep) => Promise<void>;
}

/** Runs steps, and joins their calls with their reports. */
async function traced(
  scenario: Scenario,
  target: Target,
  all: readonly ParsedStep[],
  { http, send, timeoutMs, reset, afterStep }: Side,
): Promise<RunTrace> {
  const steps = new Map<string, StepTrace>();
  const failures: Omission[] = [];
  const after: StepMention[] = [];
  let newest: TracedCall | undefined;
  const onCall = (call: TracedCall) => {
    newest = call;
  };
  const onStep = async (
    { name, place, rounds, ok, message = "failed", nearMisses }: StepReport,
    step: ParsedStep,
  ) => {
    const { effect } = step.kind;
    const recorded = newest;
    newest = undefined;
    if (effect === "calls") {
      const problem = recorded === undefined ? message : undefined;
      // Only an unexpected answer has near misses.
      const unexpected = ok || nearMisses === undefined ? undefined : (recorded?.problem ?? message);
      const key = [place.path, ...(rounds ?? [])].join(" ");
      const more = omitUndefined({ rounds, recorded, problem, unexpected });
      steps.set(key, { name, place, ...more, after: [...after] });
    } else if (!ok) failures.push({ name, place, reason: message });
    if (effect === "controls") after.push({ name, place });
    await afterStep?.(step);
  };
  const sendApi = tracing(send, target.url, timeoutMs, onCall);
  const options = { http, keepGoing: true, sendApi, onStep, ...omitUndefined({ reset }) };
  const runner = new Runner(scenario, target, options);
  try {
    if (reset !== undefined) await runner.reset();
    await runner.execute(all);
    return { steps, failures };
  } finally {
    http.close();
  }
}

/** No answer of the API depends on steps that observe or emit: neither side takes them. */
const isLeftOut = ({ effect }: StepKind): boolean => effect === "observes" || effect === "emits";

/**
 * The steps for the other side: requests, and steps that need no simulator.
 *
 * @param tokenFor the other side's token in place of one that a step names, if it has one
 */
export function otherSteps(scenario: Scenario, tokenFor: (name: string) => string | undefined) {
  /** Requests that cannot be sent, and why. */
  const notSent: Omission[] = [];
  const steps = mapSteps(scenario.steps, (step) => {
    const { kind, input, name, place } = step;
    if (kind.effect !== "calls") return worksAnywhere(kind) ? step : undefined;
    const named = tokenOf(step, scenario);
    if (named === undefined) return step;
    const token = tokenFor(named);
    if (token !== undefined) return { ...step, input: { ...input, token } };
    const reason = `the token ${named} has no counterpart on the other side: pass --token-for ${named}=KEY`;
    notSent.push({ name, place, reason });
    return undefined;
  });
  return { steps, notSent };
}

/** The tokens that requests of a scenario use, in order. */
export const tokensIn = (scenario: Scenario): string[] =>
  allSteps(scenario.steps).flatMap((step) =>
    step.kind.effect === "calls" ? (tokenOf(step, scenario) ?? []) : [],
  );

function tokenOf({ input }: ParsedStep, scenario: Scenario): string | undefined {
  const named = input.token === undefined ? scenario.token : input.token;
  return typeof named === "string" ? named : undefined;
}
