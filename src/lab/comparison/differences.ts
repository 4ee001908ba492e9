/** Where two answers differ. Ids and times are compared by their type alone: each side has its own. */

import type { Path } from "../../kernel/json.js";
import { isObject, parsePath, pathText, valueAt } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { TracedCall } from "../../scenarios/trace.js";
import { isIdField, isTimeField } from "../../scenarios/trace.js";
import type { CallDifference, FieldDifference } from "./report.js";
import type { RunTrace, StepTrace } from "./trace.js";

/** Headers of the API; others depend on the HTTP server. Of `retry-after` only the presence is compared. */
const HEADERS = ["content-type", "allow", "retry-after"];
/** Separates seconds since 1970 from milliseconds. */
const MIN_MILLISECONDS = 1e11;

type Answer = Pick<TracedCall, "status" | "headers" | "body">;
interface Difference {
  readonly path: Path;
  readonly simulator: unknown;
  readonly other: unknown;
}

/** A path to ignore with everything below it; `*` stands for any key or position. */
export type IgnoredPath = Path;

/** Reads `body.templates[*].text`. */
export const ignoredPath = (text: string): IgnoredPath => parsePath(text.replaceAll("[*]", ".*"));

function answerDifferences(
  simulator: Answer,
  other: Answer,
  ignored: readonly IgnoredPath[],
): FieldDifference[] {
  const differ = (path: Path, isSame: (own: unknown, others: unknown) => boolean): Difference[] => {
    const [own, others] = [valueAt(simulator, path), valueAt(other, path)];
    return isSame(own, others) ? [] : [{ path, simulator: own, other: others }];
  };
  return [
    ...differ(["status"], Object.is),
    ...HEADERS.flatMap((name) => differ(["headers", name], (own, others) => isSameHeader(name, own, others))),
    ...valueDifferences(simulator.body, other.body, ["body"], ""),
  ]
    .filter(({ path }) => !ignored.some((pattern) => covers(pattern, path)))
    .map(({ path, ...values }) => ({ path: pathText(path), ...omitUndefined(values) }));
}

const covers = (pattern: IgnoredPath, path: Path): boolean =>
  pattern.length <= path.length &&
  pattern.every((segment, index) => segment === "*" || String(segment) === String(path[index]));

function isSameHeader(name: string, own: unknown, other: unknown): boolean {
  if (typeof own !== "string" || typeof other !== "string") return own === other;
  const plain = (value: string) => value.split(";", 1)[0]?.trim().toLowerCase();
  return name === "retry-after" || plain(own) === plain(other);
}

/** @param field the nearest key above the value, which marks ids and times */
function valueDifferences(own: unknown, other: unknown, path: Path, field: string): Difference[] {
  if (Array.isArray(own) && Array.isArray(other)) {
    const longer = own.length > other.length ? own : other;
    return longer.flatMap((_, index) => valueDifferences(own[index], other[index], [...path, index], field));
  }
  if (isObject(own) && isObject(other)) {
    const keys = [...new Set([...Object.keys(own), ...Object.keys(other)])];
    return keys.flatMap((key) =>
      valueDifferences(valueAt(own, [key]), valueAt(other, [key]), [...path, key], key),
    );
  }
  return isSame(own, other, field) ? [] : [{ path, simulator: own, other }];
}

function isSame(own: unknown, other: unknown, field: string): boolean {
  if (own === other) return true;
  if (own === null || other === null || typeof own !== typeof other || typeof own === "object") return false;
  if (typeof own === "number" && typeof other === "number" && isTimeField(field))
    return own >= MIN_MILLISECONDS === other >= MIN_MILLISECONDS;
  return isTimeField(field) || (isIdField(field) && typeof own !== "boolean");
}

interface Differing {
  readonly difference: CallDifference;
  readonly own: TracedCall | undefined;
  readonly other: TracedCall | undefined;
}

export interface Matched {
  readonly compared: number;
  readonly differing: readonly Differing[];
  /** 0 if the sides agree. */
  readonly distance: number;
}

const ONE_SIDE_REFUSES = 1000;
const OTHER_STATUS = 100;
const MAX_FIELDS = 99;

const BEHAVIOUR_HEADER = "x-sim-behaviour";

export function matchUp(ours: RunTrace, theirs: RunTrace, ignored: readonly IgnoredPath[]): Matched {
  const differing: Differing[] = [];
  let compared = 0;
  let distance = 0;
  // A step without a counterpart is one that a `repeat` ran more often there.
  for (const [key, there] of theirs.steps) {
    const here = ours.steps.get(key);
    const [own, other] = [here?.recorded, there.recorded];
    if (own !== undefined && other !== undefined) compared += 1;
    const fields = fieldsOf(here, there, ignored);
    if (fields.length === 0) continue;
    distance += distanceOf(fields, own, other);
    const { name, place, rounds, recorded, after } = here ?? there;
    const call = recorded?.call ?? other?.call ?? name;
    const behaviour = recorded?.headers[BEHAVIOUR_HEADER] ?? null;
    const difference = { name, place, ...omitUndefined({ rounds }), call, behaviour, fields, after };
    differing.push({ difference, own, other });
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
  return isNoAnswer ? [{ ...fields[0], path: "status", other: other.problem ?? "no response" }] : fields;
}

const statusOf = (step: StepTrace | undefined): unknown =>
  step?.recorded === undefined ? `not called: ${step?.problem ?? "no such step"}` : step.recorded.status;

/** A refusal by one side only weighs more than another status, which weighs more than any fields. */
function distanceOf(
  fields: readonly FieldDifference[],
  own: TracedCall | undefined,
  other: TracedCall | undefined,
): number {
  const count = Math.min(fields.length, MAX_FIELDS);
  if (own === undefined || other === undefined || isSuccess(own) !== isSuccess(other))
    return ONE_SIDE_REFUSES + count;
  return (own.status === other.status ? 0 : OTHER_STATUS) + count;
}

export const isSuccess = ({ status }: Pick<TracedCall, "status">): boolean =>
  status !== null && status >= 200 && status < 300;
