/** Puts the two sides of a scenario beside each other. */
import { answerDifferences, type IgnoredPath } from "./differences.js";
import type { Recorded } from "./recorder.js";
import type { CallDifference, FieldDifference } from "./report.js";
import type { RunTrace, StepTrace } from "./sides.js";

/** A call that both sides answered, differently. */
export interface Differing {
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
  for (const [key, there] of other.taken) {
    const here = own.taken.get(key);
    const pair = [here?.recorded, there.recorded] as const;
    if (pair[0] !== undefined && pair[1] !== undefined) compared += 1;
    const fields = fieldsOf(here, there, ignored);
    if (fields.length === 0) continue;
    distance += distanceOf(fields, ...pair);
    differing.push({ difference: differenceOf(here ?? there, there, fields), own: pair[0], other: pair[1] });
  }
  return { compared, differing, distance };
}

function fieldsOf(
  here: StepTrace | undefined,
  there: StepTrace,
  ignored: readonly IgnoredPath[],
): FieldDifference[] {
  const [own, other] = [here?.recorded, there.recorded];
  if (own !== undefined && other !== undefined) {
    const fields = answerDifferences(own, other, ignored);
    return other.status === null && fields[0]?.path === "status"
      ? [{ ...fields[0], other: other.problem ?? "no answer" }]
      : fields;
  }
  if (own === undefined && other === undefined) return [];
  const words = (recorded: Recorded | undefined, taken: StepTrace | undefined) =>
    recorded === undefined ? `not called: ${taken?.problem ?? "no such step"}` : recorded.status;
  return [{ path: "", simulator: words(own, here), other: words(other, there) }];
}

function differenceOf(
  taken: StepTrace,
  there: StepTrace,
  fields: readonly FieldDifference[],
): CallDifference {
  const { name, place, rounds, recorded, after } = taken;
  return {
    name,
    place,
    ...(rounds === undefined ? {} : { rounds }),
    call: recorded?.call ?? there.recorded?.call ?? name,
    behaviour: recorded?.headers[BEHAVIOUR_HEADER] ?? null,
    fields,
    after,
  };
}

/** One side refusing what the other takes weighs more than another status, and that more than any fields. */
function distanceOf(
  fields: readonly FieldDifference[],
  own: Recorded | undefined,
  other: Recorded | undefined,
): number {
  const count = Math.min(fields.length, MAX_FIELDS);
  if (own === undefined || other === undefined || isSuccess(own) !== isSuccess(other))
    return ONE_SIDE_REFUSES + count;
  return (own.status === other.status ? 0 : OTHER_STATUS) + count;
}

export const isSuccess = ({ status }: Pick<Recorded, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
