/** Puts the two sides of a scenario beside each other. */
import { given } from "../kernel/given.js";
import { answerDifferences, type IgnoredPath } from "./differences.js";
import type { CallDifference, FieldDifference } from "./report.js";
import type { Recorded, RunTrace, StepTrace } from "./trace.js";

/** A call that both sides answered, differently. */
interface Differing {
  readonly difference: CallDifference;
  readonly own: Recorded | undefined;
  readonly other: Recorded | undefined;
}

export interface Matched {
  readonly compared: number;
  readonly differing: readonly Differing[];
  /** How far the sides are apart: 0 when they agree. */
  readonly distance: number;
}

const ONE_SIDE_REFUSES = 1000;
const OTHER_STATUS = 100;
const MAX_FIELDS = 99;

const BEHAVIOUR_HEADER = "x-sim-behaviour";

export function matchUp(own: RunTrace, other: RunTrace, ignored: readonly IgnoredPath[]): Matched {
  const differing: Differing[] = [];
  let compared = 0;
  let distance = 0;
  // A step of one side alone is one that a `repeat` took more often there.
  for (const [key, there] of other.steps) {
    const here = own.steps.get(key);
    const pair = { own: here?.recorded, other: there.recorded };
    if (pair.own !== undefined && pair.other !== undefined) compared += 1;
    const fields = fieldsOf(here, there, ignored);
    if (fields.length === 0) continue;
    distance += distanceOf(fields, pair);
    differing.push({ difference: differenceOf(here ?? there, there, fields), ...pair });
  }
  return { compared, differing, distance };
}

function fieldsOf(
  here: StepTrace | undefined,
  there: StepTrace,
  ignored: readonly IgnoredPath[],
): FieldDifference[] {
  const [own, other] = [here?.recorded, there.recorded];
  if (own === undefined && other === undefined) return [];
  if (own === undefined || other === undefined)
    return [{ path: "", simulator: statusOf(here), other: statusOf(there) }];
  const fields = answerDifferences(own, other, ignored);
  const isNoAnswer = other.status === null && fields[0]?.path === "status";
  return isNoAnswer ? [{ ...fields[0], path: "status", other: other.problem ?? "no answer" }] : fields;
}

const statusOf = (step: StepTrace | undefined): unknown =>
  step?.recorded === undefined ? `not called: ${step?.problem ?? "no such step"}` : step.recorded.status;

const differenceOf = (
  { name, place, rounds, recorded, after }: StepTrace,
  there: StepTrace,
  fields: readonly FieldDifference[],
): CallDifference => ({
  name,
  place,
  ...given({ rounds }),
  call: recorded?.call ?? there.recorded?.call ?? name,
  behaviour: recorded?.headers[BEHAVIOUR_HEADER] ?? null,
  fields,
  after,
});

/** One side refusing what the other takes weighs more than another status, and that more than any fields. */
function distanceOf(
  fields: readonly FieldDifference[],
  { own, other }: Pick<Differing, "own" | "other">,
): number {
  const count = Math.min(fields.length, MAX_FIELDS);
  if (own === undefined || other === undefined || isSuccess(own) !== isSuccess(other))
    return ONE_SIDE_REFUSES + count;
  return (own.status === other.status ? 0 : OTHER_STATUS) + count;
}

export const isSuccess = ({ status }: Pick<Recorded, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
