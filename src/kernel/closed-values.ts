/** Fields whose values come from a closed set: a value outside of it can match nothing (contract section 5, MATCH). */
import { isObject } from "./json.js";
import type { Path } from "./path.js";
import type { Problem } from "./problems.js";
import { ProblemList, problemAt } from "./problems.js";
import { either, nearest, preview } from "./words.js";

/** All that a field can ever be. */
type ClosedValues = {
  /** What a value is: `operation`, `event type`. */
  readonly what: string;
} & (
  | { readonly values: readonly (string | null)[] }
  /** `form`: what a value looks like, as a phrase. */
  | { readonly form: string; readonly accepts: (value: unknown) => boolean }
);

/** By field. */
export type ClosedFields = Readonly<Record<string, ClosedValues>>;

/**
 * What is wrong with the plain values of a match. Conditions are free, but for the values that `$oneOf` and `$not` hold.
 *
 * @param isLater whether a value is not known yet, such as one with a placeholder: it is not looked at
 */
export function closedProblems(
  fields: ClosedFields,
  match: unknown,
  at: Path,
  isLater: (value: string) => boolean = () => false,
): Problem[] {
  const problems = new ProblemList({ endsWhenFull: true });
  for (const [field, pattern] of Object.entries(isObject(match) ? match : {})) {
    const closed = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (closed === undefined) continue;
    for (const problem of valueProblems(closed, pattern, [...at, field], isLater)) {
      problems.add(() => problem);
      if (problems.isFull) return problems.all;
    }
  }
  return problems.all;
}

function* valueProblems(
  closed: ClosedValues,
  pattern: unknown,
  at: Path,
  isLater: (value: string) => boolean,
): Iterable<Problem> {
  if (isObject(pattern)) {
    const { $oneOf, $not } = pattern;
    for (const [index, item] of (Array.isArray($oneOf) ? $oneOf : []).entries())
      yield* valueProblems(closed, item, [...at, "$oneOf", index], isLater);
    yield* valueProblems(closed, $not, [...at, "$not"], isLater);
  } else if (pattern !== undefined && !(typeof pattern === "string" && isLater(pattern))) {
    const message = refusalOf(closed, pattern);
    if (message !== undefined) yield problemAt(at, message);
  }
}

function refusalOf(closed: ClosedValues, value: unknown): string | undefined {
  if ("form" in closed)
    return closed.accepts(value) ? undefined : `must be ${closed.form}, but is ${preview(value)}`;
  const { what, values } = closed;
  if (values.some((known) => known === value)) return undefined;
  const names = values.filter((known) => known !== null);
  const meant = typeof value === "string" ? (nearest(value, names) ?? nearestStart(value, names)) : undefined;
  const advice =
    meant === undefined ? `it must be ${either(values.map(String))}` : `did you mean "${meant}"?`;
  return `unknown ${what} ${preview(value)}: ${advice}`;
}

/** The word that begins most like another: `sendMesage` is the beginning of a longer name. */
function nearestStart(word: string, known: readonly string[]): string | undefined {
  const starts = new Map<string, string>();
  for (const length of [word.length, word.length + 1, word.length - 1])
    for (const name of known) {
      const start = name.slice(0, length);
      if (!starts.has(start)) starts.set(start, name);
    }
  const meant = nearest(word, starts.keys());
  return meant === undefined ? undefined : starts.get(meant);
}
