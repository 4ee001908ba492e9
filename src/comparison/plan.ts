/** Which steps of a scenario a comparison takes, and on which side. */
import { type ApiAnswer, checkAnswer } from "../scenarios/calls.js";
import type { Scenario } from "../scenarios/read.js";
import type { Run } from "../scenarios/run.js";
import { type ParsedStep, StepFailure } from "../scenarios/step.js";
import { RecordingHttp } from "./recorder.js";

/** Steps that only look, or tell receivers something: no answer of the API depends on them. Neither side takes them. */
const WATCHING = new Set(["reply", "silent", "delivered", "expect", "emit"]);
/** Steps that need nothing but the API. Every other kind needs the control API: only the simulator takes it. */
const ANYWHERE = new Set(["request", "log", "wait", "repeat"]);

export const isRequest = (key: string): boolean => key === "request";
/** Whether a kind of step changes what the API answers, in a way that only a simulator can. */
export const isSimulatorOnly = (key: string): boolean => !ANYWHERE.has(key) && !WATCHING.has(key);

const mapSteps = (
  steps: readonly ParsedStep[],
  map: (step: ParsedStep) => ParsedStep | undefined,
): ParsedStep[] =>
  steps.flatMap((step) => {
    if (WATCHING.has(step.kind.key)) return [];
    const mapped = map(step);
    if (mapped === undefined) return [];
    return [step.steps === undefined ? mapped : { ...mapped, steps: mapSteps(step.steps, map) }];
  });

/** A request whose expectation only leaves a remark: an answer that is not as expected is no end. */
function withMildExpectation(step: ParsedStep): ParsedStep {
  const { run } = step.kind;
  const mild = async (runner: Run, { expect, ...input }: Record<string, unknown>, self: ParsedStep) => {
    const result = await run(runner, input as never, self);
    const unmet = expect === undefined ? undefined : unmetBy(result?.outcome as never, expect, self.name);
    if (unmet !== undefined && runner.http instanceof RecordingHttp) runner.http.remark(unmet);
    return result;
  };
  return { ...step, kind: { ...step.kind, run: mild as typeof run } };
}

function unmetBy(answer: ApiAnswer, expect: unknown, name: string): string | undefined {
  try {
    checkAnswer(answer, typeof expect === "number" ? { status: expect } : (expect as object), name);
    return undefined;
  } catch (error) {
    if (error instanceof StepFailure) return error.message;
    throw error;
  }
}

/** The scenario as the simulator runs it: in full. `mute` is called whenever faults were cleared. */
export function simulatorSteps(scenario: Scenario, mute: (run: Run) => Promise<unknown>): ParsedStep[] {
  return mapSteps(scenario.steps, (step) => {
    const { key, run } = step.kind;
    if (isRequest(key)) return withMildExpectation(step);
    if (key !== "clearFaults") return step;
    const muted: typeof run = async (...args) => {
      const result = await run(...args);
      await mute(args[0]);
      return result;
    };
    return { ...step, kind: { ...step.kind, run: muted } };
  });
}

export interface OtherSteps {
  readonly steps: readonly ParsedStep[];
  /** Requests that cannot be sent there, and why. */
  readonly notSent: readonly { readonly step: ParsedStep; readonly reason: string }[];
}

/**
 * The scenario as the other side gets it: its requests.
 *
 * @param tokenFor the other side's token for one that a step names; undefined where it has none
 */
export function otherSteps(scenario: Scenario, tokenFor: (name: string) => string | undefined): OtherSteps {
  const notSent: { step: ParsedStep; reason: string }[] = [];
  const steps = mapSteps(scenario.steps, (step) => {
    const { key } = step.kind;
    if (!ANYWHERE.has(key)) return undefined;
    if (!isRequest(key)) return step;
    const named = step.input.token === undefined ? scenario.token : step.input.token;
    if (typeof named !== "string") return withMildExpectation(step);
    const token = tokenFor(named);
    if (token !== undefined) {
      const sent = withMildExpectation(step);
      return { ...sent, input: { ...sent.input, token } };
    }
    notSent.push({
      step,
      reason: `the token ${named} has no counterpart there: name it with --token-for ${named}=KEY`,
    });
    return undefined;
  });
  return { steps, notSent };
}

/** The tokens that requests of a scenario use, in order. */
export function tokensIn(scenario: Scenario): string[] {
  const tokens: string[] = [];
  const walk = (steps: readonly ParsedStep[]): void => {
    for (const { kind, input, steps: inner } of steps) {
      const named = input.token === undefined ? scenario.token : input.token;
      if (isRequest(kind.key) && typeof named === "string") tokens.push(named);
      if (inner !== undefined) walk(inner);
    }
  };
  walk(scenario.steps);
  return tokens;
}
