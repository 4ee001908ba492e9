/** Which steps of a scenario a comparison takes, and on which side. */
import type { Scenario } from "../scenarios/read.js";
import type { ParsedStep } from "../scenarios/step.js";
import type { Omission } from "./report.js";

/** Steps that observe, or send events to receivers: no answer of the API depends on them. Neither side takes them. */
const OBSERVING = new Set(["reply", "silent", "delivered", "expect", "emit"]);
/** Steps that need nothing but the API. Every other kind needs the control API: only the simulator takes it. */
const ANYWHERE = new Set(["request", "log", "wait", "repeat"]);

export const isRequest = (key: string): boolean => key === "request";
/** Whether a kind of step changes what the API answers, in a way that only a simulator can. */
export const isSimulatorOnly = (key: string): boolean => !ANYWHERE.has(key) && !OBSERVING.has(key);

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

/** The scenario as the simulator runs it. */
export const simulatorSteps = (scenario: Scenario): ParsedStep[] =>
  pickSteps(scenario.steps, (step) => (OBSERVING.has(step.kind.key) ? undefined : step));

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
    if (!isRequest(kind.key)) return ANYWHERE.has(kind.key) ? step : undefined;
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
    ...(isRequest(step.kind.key) ? (tokenOf(step, scenario) ?? []) : []),
    ...tokensIn(scenario, step.steps ?? []),
  ]);

function tokenOf({ input }: ParsedStep, scenario: Scenario): string | undefined {
  const named = input.token === undefined ? scenario.token : input.token;
  return typeof named === "string" ? named : undefined;
}
