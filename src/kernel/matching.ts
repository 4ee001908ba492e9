/** Patterns over JSON values: how they match, what is wrong with them, and the regular expressions in them. */
import { BOUNDS } from "./bounds.js";
import type { Path } from "./json.js";
import { isObject, JSON_TYPES, pathText, sizeProblem } from "./json.js";
import { isKeyOf } from "./objects.js";
import { lazily, loadPackage } from "./packages.js";
import type { Problem } from "./problems.js";
import { ProblemList, problemAt } from "./problems.js";
import { either, MAX_LISTED, nearest, preview } from "./words.js";

/** Loaded on demand: most simulators never use a regular expression. */
const engine = lazily(() => loadPackage<typeof import("re2js")>("re2js"));

/** Limits on a pattern: its characters, since longer ones compile too slowly, and its instructions, since larger ones run too slowly. */
const MAX_PATTERN_LENGTH = BOUNDS.patternCharacters.limit;
const MAX_PROGRAM = BOUNDS.patternProgram.limit;
/** A test takes at most one step per character and instruction; this many take about half a second. */
const MAX_STEPS = BOUNDS.patternSteps.limit;

/** A test that runs in time linear in the length of the text, whatever the expression. */
interface LinearRegex {
  /** Whether the expression matches somewhere in a text; false if the text is too long for it. */
  test(text: string): boolean;
}

/**
 * Compiles a user's regular expression, in RE2's syntax (https://github.com/google/re2/wiki/Syntax). RegExp can take
 * exponential time: `(a+)+$` on forty times `a` and a `!` blocks the process for hours. RE2 takes linear time; it has no
 * look-around, no back-references and no repetitions beyond 1000.
 *
 * @param flags any of `i`, `m` and `s`
 * @throws Error with the reason why the pattern is refused
 */
export function linearRegex(pattern: string, flags = ""): LinearRegex {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  const { RE2JS } = engine();
  const { CASE_INSENSITIVE, MULTILINE, DOTALL } = RE2JS;
  const options: Readonly<Record<string, number>> = { i: CASE_INSENSITIVE, m: MULTILINE, s: DOTALL };
  const compiled = RE2JS.compile(
    pattern,
    [...flags].reduce((all, flag) => all | (options[flag] ?? 0), 0),
  );
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw new Error("repeats too much");
  return { test: (text) => text.length * size <= MAX_STEPS && compiled.test(text) };
}

/**
 * Patterns over JSON values: objects match as subsets, arrays element by element and scalars by equality; an object with one
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
  accepts(operand: unknown): boolean;
  holds(operand: unknown, value: unknown, condition: Readonly<Record<string, unknown>>): boolean;
}

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
    takes: "a regular expression in RE2's syntax, without look-around and back-references",
    accepts: (operand) => isText(operand) && compiled(operand, "") !== undefined,
    holds: (_operand, value, condition) => isText(value) && (regexOf(condition)?.test(value) ?? false),
  },
  $flags: {
    takes: "i, m and s, each at most once, for the $regex beside it",
    accepts: (operand) => isFlags(operand),
    holds: (_operand, _value, condition) => Object.hasOwn(condition, "$regex"),
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
    accepts: (operand) =>
      Array.isArray(operand) && operand.length > 0 && operand.every((item) => isUsable(item)),
    holds: (operand, value) => Array.isArray(operand) && operand.some((item) => matches(item, value)),
  },
  $not: {
    takes: "a pattern",
    accepts: (operand) => isUsable(operand),
    holds: (operand, value) => !matches(operand, value),
  },
};

const isUsable = (pattern: unknown): boolean => problemsIn(pattern, "").length === 0;

export const OPERATOR_NAMES = Object.keys(OPERATORS);

export const OPERATOR_OPERANDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(OPERATORS).map(([name, { takes }]) => [name, takes]),
);

const isFlags = (flags: unknown): flags is string =>
  typeof flags === "string" && /^[ims]*$/.test(flags) && new Set(flags).size === flags.length;

function compiled(pattern: string, flags: string): LinearRegex | undefined {
  try {
    return linearRegex(pattern, flags);
  } catch {
    return undefined;
  }
}

/** A cache of compiled expressions. */
const expressions = new WeakMap<object, LinearRegex>();

function regexOf(condition: Readonly<Record<string, unknown>>): LinearRegex | undefined {
  const known = expressions.get(condition);
  if (known !== undefined) return known;
  const { $regex, $flags = "" } = condition;
  const regex = typeof $regex === "string" && isFlags($flags) ? compiled($regex, $flags) : undefined;
  if (regex !== undefined) expressions.set(condition, regex);
  return regex;
}

const isCondition = (pattern: unknown): pattern is Record<string, unknown> =>
  isObject(pattern) && Object.keys(pattern).some((key) => key.startsWith("$"));

const operatorNamed = (name: string) => (Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined);

const joined = (path: string, inner: string): string =>
  path === "" || inner === "" || inner.startsWith("[") ? path + inner : `${path}.${inner}`;

const below = (path: string, key: string | number): string => joined(path, pathText([key]));

/** The limits of a pattern, in values and levels, since every entry of a log is compared with all of it. */
export const PATTERN_SIZE = { values: BOUNDS.matchValues.limit, depth: BOUNDS.matchDepth.limit };

/** What is wrong with a pattern itself: an unknown operator, an invalid operand, a field beside an operator. */
export function patternProblems(pattern: Pattern, path = ""): { path: string; message: string }[] {
  const message = sizeProblem(pattern, PATTERN_SIZE);
  return message === undefined ? problemsIn(pattern, path) : [{ path, message }];
}

function problemsIn(pattern: Pattern, path: string): { path: string; message: string }[] {
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
    return operator.accepts(operand) ? [] : [{ path: at, message: `"${key}" takes ${operator.takes}` }];
  });
}

export const matches = (pattern: Pattern, value: unknown): boolean =>
  differences(pattern, value, "", 1).length === 0;

/** Where a value differs from a pattern, at most `most` times; empty if it matches. */
export function differences(
  pattern: Pattern,
  value: unknown,
  path = "",
  most: number = MAX_LISTED,
): Difference[] {
  if (isCondition(pattern)) {
    const holds = Object.keys(pattern).every(
      (key) => operatorNamed(key)?.holds(pattern[key], value, pattern) ?? false,
    );
    return holds ? [] : [{ path, expected: pattern, seen: value }];
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length)
      return [{ path, expected: pattern, seen: value }];
    return inEach(pattern.entries(), path, most, (index) => value[index]);
  }
  if (isObject(pattern)) {
    if (!isObject(value)) return [{ path, expected: pattern, seen: value }];
    return inEach(Object.entries(pattern), path, most, (key) =>
      Object.hasOwn(value, key) ? value[key] : undefined,
    );
  }
  return pattern === value ? [] : [{ path, expected: pattern, seen: value }];
}

/** The differences of the parts at `path`, up to `most`. Paths are only built for parts that differ, since few do. */
function inEach<Key extends string | number>(
  parts: Iterable<[Key, Pattern]>,
  path: string,
  most: number,
  valueAt: (key: Key) => unknown,
): Difference[] {
  const found: Difference[] = [];
  for (const [key, part] of parts) {
    for (const difference of differences(part, valueAt(key), "", most - found.length))
      found.push({ ...difference, path: joined(below(path, key), difference.path) });
    if (found.length >= most) break;
  }
  return found;
}

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

type ClosedValues = {
  readonly what: string;
} & (
  | { readonly values: readonly (string | null)[] }
  /** `form`: what a value looks like, as a phrase. */
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
