/** Patterns over JSON values: how they match, and what is wrong with them. */
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { isObject, JSON_TYPES, joinedPath, pathText, sizeProblem, valueAt } from "./json.js";
import type { LinearRegex } from "./linear-regex.js";
import { linearRegex, programOf, TOO_LONG } from "./linear-regex.js";
import { isKeyOf } from "./objects.js";
import type { Problem } from "./problems.js";
import { problemAt, problemsOfFirst } from "./problems.js";
import { MAX_LISTED, nearest, preview, unknownKey } from "./words.js";

const { matchDepth, matchValues, patternProgram, regexTextCharacters } = BOUNDS;

/** How many characters all `$regex` and `$contains` of a match have at most, with repetitions written out. */
export const programsIn = (value: unknown): number =>
  [...textsIn(value, "")].reduce((sum, { length }) => sum + length, 0);

/** Where a pattern has texts to look for, and how long they are with their repetitions written out. */
function* textsIn(value: unknown, path: string): Generator<{ path: string; length: number }> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const at = below(path, Array.isArray(value) ? Number(key) : key);
    if (key === "$regex" && isText(part)) yield { path: at, length: programOf(part) };
    else if (key === "$contains" && isText(part)) yield { path: at, length: part.length };
    else yield* textsIn(part, at);
  }
}

/** Where the texts of a pattern are too long in total: comparing takes as long as all of them together. */
function excessIn(pattern: unknown, path: string): Problem | undefined {
  let left = patternProgram.limit;
  for (const { path: at, length } of textsIn(pattern, path)) {
    left -= length;
    if (left < 0) return { path: at, message: `all "$regex" and "$contains" together have ${TOO_LONG}` };
  }
  return undefined;
}

/**
 * A pattern over JSON values: objects match as subsets, arrays element by element and scalars by equality; an object with one
 * of the operators below is a condition.
 */
type Pattern = unknown;

/** A part of a value that differs from the pattern. */
export interface Difference {
  /** Such as `body.text`, as {@link pathText} writes it; empty for the whole value. */
  readonly path: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

interface Operator {
  readonly takes: string;
  accepts(operand: unknown, condition: Condition): boolean;
  holds(operand: unknown, value: unknown, condition: Condition): boolean;
}
type Condition = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isType = (value: unknown): value is string => isText(value) && isKeyOf(JSON_TYPES, value);

/** An operator whose operand is a plain value. */
const plain = <T>(
  takes: string,
  accepts: (operand: unknown) => operand is T,
  holds: (operand: T, value: unknown) => boolean,
): Operator => ({
  takes,
  accepts,
  holds: (operand, value) => accepts(operand) && holds(operand, value),
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  $regex: {
    takes: `a regular expression in RE2's syntax, without look-around and back-references, such as (?i)hello for any case; a text of more than ${regexTextCharacters.limit} characters does not match`,
    accepts: (_operand, condition) => regexOf(condition) !== undefined,
    holds: (_operand, value, condition) => isText(value) && regexOf(condition)?.(value) === true,
  },
  $contains: plain("a text", isText, (part, value) => isText(value) && value.includes(part)),
  $any: plain(
    `one of ${Object.keys(JSON_TYPES).join(", ")}`,
    isType,
    (type, value) => JSON_TYPES[type]?.(value) === true,
  ),
  $gt: plain("a number", isNumber, (limit, value) => isNumber(value) && value > limit),
  $lt: plain("a number", isNumber, (limit, value) => isNumber(value) && value < limit),
  $absent: plain("true or false", isBoolean, (isAbsent, value) => (value === undefined) === isAbsent),
  $oneOf: {
    takes: "a list of patterns",
    accepts: (operand) => Array.isArray(operand) && operand.length > 0 && operand.every(isUsable),
    holds: (operand, value) => Array.isArray(operand) && operand.some((item) => matches(item, value)),
  },
  $not: {
    takes: "a pattern",
    accepts: isUsable,
    holds: (operand, value) => !matches(operand, value),
  },
};

function isUsable(pattern: unknown): boolean {
  return problemsIn(pattern, "").length === 0;
}

export const OPERATOR_NAMES = Object.keys(OPERATORS);

export const OPERATOR_OPERANDS = Object.fromEntries(
  Object.entries(OPERATORS).map(([name, { takes }]) => [name, takes]),
);

/** A cache of compiled expressions. */
const expressions = new WeakMap<object, LinearRegex>();

/** The expression of a condition; undefined if it is none. */
function regexOf(condition: Condition): LinearRegex | undefined {
  const known = expressions.get(condition);
  if (known !== undefined || !isText(condition.$regex)) return known;
  try {
    const regex = linearRegex(condition.$regex);
    expressions.set(condition, regex);
    return regex;
  } catch {
    return undefined;
  }
}

const isCondition = (pattern: unknown): pattern is Record<string, unknown> =>
  isObject(pattern) && Object.keys(pattern).some((key) => key.startsWith("$"));

const operatorNamed = (name: string) => (Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined);

const below = (path: string, key: string | number): string => joinedPath(path, pathText([key]));

/** The limits of a pattern, in values and levels. */
export const PATTERN_SIZE = { values: matchValues.limit, depth: matchDepth.limit };

/** What is wrong with a pattern itself: an unknown operator, an invalid operand, a field beside an operator. */
export function patternProblems(pattern: Pattern, path = ""): Problem[] {
  const message = sizeProblem(pattern, PATTERN_SIZE);
  if (message !== undefined) return [{ path, message }];
  const excess = excessIn(pattern, path);
  return excess === undefined ? problemsIn(pattern, path) : [excess];
}

function problemsIn(pattern: Pattern, path: string): Problem[] {
  if (Array.isArray(pattern)) return pattern.flatMap((item, index) => problemsIn(item, below(path, index)));
  if (!isObject(pattern)) return [];
  const condition = isCondition(pattern);
  return Object.entries(pattern).flatMap(([key, operand]) => {
    const at = below(path, key);
    if (!condition) return problemsIn(operand, at);
    if (!key.startsWith("$")) return [{ path: at, message: "cannot be combined with an operator" }];
    const operator = operatorNamed(key);
    if (operator === undefined) {
      return [{ path: at, message: `unknown operator "${key}": known are ${OPERATOR_NAMES.join(", ")}` }];
    }
    return operator.accepts(operand, pattern)
      ? []
      : [{ path: at, message: `"${key}" takes ${operator.takes}` }];
  });
}

/** Whether a value matches. */
export const matches = (pattern: Pattern, value: unknown): boolean =>
  typeof pattern === "object" && pattern !== null
    ? differences(pattern, value, "", 1).length === 0
    : pattern === value;

/** Where a value differs from a pattern, at most `most` times; empty if it matches. */
export function differences(
  pattern: Pattern,
  value: unknown,
  path = "",
  most: number = MAX_LISTED,
): Difference[] {
  const unlike = [{ path, expected: pattern, seen: value }];
  if (isCondition(pattern)) return meets(pattern, value) ? [] : unlike;
  const isList = Array.isArray(pattern);
  if (!isList && !isObject(pattern)) return pattern === value ? [] : unlike;
  const isAlike = isList ? Array.isArray(value) && value.length === pattern.length : isObject(value);
  if (!isAlike) return unlike;
  const found: Difference[] = [];
  for (const [key, part] of Object.entries(pattern)) {
    const seen = valueAt(value, [key]);
    // Paths are only built for parts that differ, since few do.
    for (const difference of differences(part, seen, "", most - found.length)) {
      const at = below(path, isList ? Number(key) : key);
      found.push({ ...difference, path: joinedPath(at, difference.path) });
    }
    if (found.length >= most) break;
  }
  return found;
}

const meets = (condition: Condition, value: unknown): boolean =>
  Object.keys(condition).every((key) => operatorNamed(key)?.holds(condition[key], value, condition) ?? false);

/** Whether a path matches a path pattern: `*` and `:name` stand for one segment each, a final `**` for the rest. */
export function pathMatches(pattern: string, path: string): boolean {
  if (!/[*:]/.test(pattern)) return trimmed(pattern) === trimmed(path);
  const wanted = trimmed(pattern).split("/");
  const segments = trimmed(path).split("/");
  for (const [index, segment] of wanted.entries()) {
    if (segment === "**" && index === wanted.length - 1) return true;
    const free = segment === "*" || (segment.startsWith(":") && segment.length > 1);
    if (segments[index] === undefined || !(free ? segments[index] !== "" : segments[index] === segment))
      return false;
  }
  return wanted.length === segments.length;
}

const trimmed = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

/** The values that a field can have: these, or those of a form, which is a phrase. */
type ClosedValues = { readonly what: string } & (
  | { readonly values: readonly (string | null)[] }
  | { readonly form: string; readonly accepts: (value: unknown) => boolean }
);

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
  function* check(closed: ClosedValues, pattern: unknown, path: Path): Generator<Problem> {
    if (isObject(pattern)) {
      const { $oneOf, $not } = pattern;
      for (const [index, item] of (Array.isArray($oneOf) ? $oneOf : []).entries())
        yield* check(closed, item, [...path, "$oneOf", index]);
      yield* check(closed, $not, [...path, "$not"]);
    } else if (pattern !== undefined && !(isText(pattern) && isLater(pattern)) && !isIn(closed, pattern))
      yield problemAt(path, refusalOf(closed, pattern));
  }
  return problemsOfFirst(Object.entries(isObject(match) ? match : {}), ([field, pattern]) => {
    const closed = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return closed === undefined ? [] : check(closed, pattern, [...at, field]);
  });
}

const isIn = (closed: ClosedValues, value: unknown): boolean =>
  "form" in closed ? closed.accepts(value) : closed.values.some((known) => known === value);

function refusalOf(closed: ClosedValues, value: unknown): string {
  if ("form" in closed) return `must be ${closed.form}, but is ${preview(value)}`;
  const names = closed.values.filter((known) => known !== null);
  // `sendMesage` is the beginning of a longer name.
  const starts = isText(value) ? names.map((name) => name.slice(0, value.length)) : [];
  const start = isText(value) && nearest(value, names) === undefined ? nearest(value, starts) : undefined;
  if (start === undefined) return unknownKey(closed.what, value, names, closed.values.map(String));
  return `unknown ${closed.what} ${preview(value)}: did you mean "${names[starts.indexOf(start)]}"?`;
}
