/** Which steps of a scenario a comparison takes, and on which side. */
import type { Scenario } from "../scenarios/read.js";
import type { ParsedStep, StepKind } from "../scenarios/step.js";
import { worksAnywhere } from "../scenarios/step.js";
import type { Omission } from "./report.js";

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
export const simulatorSteps = (scenario: Scenario): ParsedStep[] =>
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
