/**
 * Where two answers differ: in status, fields, types, and the values that the specification or the behaviour table fixes; never in
 * ids, times and texts of the service's own making.
 */
import { OPERATIONS } from "../../api/operations/index.js";
import type { Path } from "../../kernel/json.js";
import { isObject, mapLeaves, pathText, valueAt } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import { isIdField, isTimeField } from "../../scenarios/varying.js";
import { ANSWERS } from "../../service/behaviour/answers.js";
import { BEHAVIOUR_KEYS, type BehaviourKey } from "../../service/behaviour/table.js";
import type { RunTrace, Sent, TracedStep } from "./sides.js";

/** Separates seconds since 1970 from milliseconds. */
const MIN_MILLISECONDS = 1e11;

/** The words of which the specification says which of them a field can have. */
const WORDS = new Set(
  OPERATIONS.flatMap(({ success }) => {
    const words: unknown[] = [];
    mapLeaves(success, (leaf, key) => key === "enum" && words.push(leaf));
    return words;
  }),
);

/** Whether an answer is a refusal; GraphQL may send one with 200. */
export const isRefusal = ({ status = null, body }: TracedStep): boolean =>
  status === null || status < 200 || status > 299 || (isObject(body) && Array.isArray(body.errors));

/** The entry that decided an answer of the simulator. */
export const decidedBy = (own: TracedStep | undefined): BehaviourKey | undefined =>
  BEHAVIOUR_KEYS.find((key) => key === own?.headers?.["x-sim-behaviour"]);

export const isAnswerKey = (key = ""): boolean => Object.hasOwn(ANSWERS, key);

/** A difference in a field; a side without the field leaves it out. */
export interface FieldDifference {
  readonly path: string;
  readonly simulator?: unknown;
  readonly other?: unknown;
}

/** A call on both sides, and where its answers differ. */
export interface MatchedCall {
  /** The scenario's name. */
  readonly scenario: string;
  readonly here: TracedStep | undefined;
  readonly there: TracedStep;
  readonly fields: readonly FieldDifference[];
}

/** A refusal by one side only weighs more than any fields. */
const ONE_SIDE_REFUSES = 1000;
/** Whether an answer that has a text repeats it. A shorter one may be a part of a word by chance. */
export const isTelling = (value: unknown): value is string => typeof value === "string" && value.length >= 3;

/** All calls of a scenario that the other side was sent, and how far apart the answers are: 0 if they agree. */
export function matchUp(ours: RunTrace, { scenario, steps }: Sent) {
  const calls: MatchedCall[] = [];
  /** What a scenario has sent is fixed from then on. */
  const sent = new Set<string>();
  const isFixed = (text: string) =>
    text === "" || WORDS.has(text) || [...sent].some((part) => text.includes(part));
  let distance = 0;
  // A step without a counterpart is one that a `repeat` ran more often there.
  for (const [key, there] of steps) {
    const here = ours.steps.get(key);
    mapLeaves(here?.sent, (leaf) => isTelling(leaf) && sent.add(leaf));
    const fields = fieldsOf(here, there, isFixed);
    calls.push({ scenario: scenario.name, here, there, fields });
    if (fields.length === 0) continue;
    const isApart = here === undefined || isRefusal(here) !== isRefusal(there);
    distance += isApart ? ONE_SIDE_REFUSES : fields.length;
  }
  return { calls, distance };
}

type IsFixed = (text: string) => boolean;

function fieldsOf(here: TracedStep | undefined, there: TracedStep, isFixed: IsFixed): FieldDifference[] {
  if (!here?.call && !there.call) return [];
  const statusOf = (step?: TracedStep) => step?.status ?? step?.problem ?? "not called";
  const status = { path: "status", simulator: statusOf(here), other: statusOf(there) };
  if (here?.status == null || there.status == null) return [status];
  // Every text of a refusal is fixed, and of an answer that the table has as a whole.
  const isWhole = isRefusal(here) || isRefusal(there) || isAnswerKey(decidedBy(here));
  const inBody = inBodies(here.body, there.body, ["body"], isWhole ? () => true : isFixed);
  return here.status === there.status ? inBody : [status, ...inBody];
}

/** @param field the nearest key above the value, which marks ids and times */
function inBodies(own: unknown, other: unknown, path: Path, isFixed: IsFixed, field = ""): FieldDifference[] {
  const at = (key: string | number, name: string) =>
    inBodies(valueAt(own, [key]), valueAt(other, [key]), [...path, key], isFixed, name);
  if (Array.isArray(own) && Array.isArray(other))
    return (own.length > other.length ? own : other).flatMap((_, index) => at(index, field));
  if (isObject(own) && isObject(other))
    return [...new Set([...Object.keys(own), ...Object.keys(other)])].flatMap((key) => at(key, key));
  if (isSame(own, other, field, isFixed)) return [];
  return [{ path: pathText(path), ...omitUndefined({ simulator: own, other }) }];
}

function isSame(own: unknown, other: unknown, field: string, isFixed: IsFixed): boolean {
  if (own === other) return true;
  if (own === null || typeof own !== typeof other || typeof own === "object") return false;
  if (isTimeField(field))
    return typeof own !== "number" || own >= MIN_MILLISECONDS === Number(other) >= MIN_MILLISECONDS;
  if (isIdField(field) && typeof own !== "boolean") return true;
  return typeof own === "string" && !isFixed(own) && !isFixed(String(other));
}
