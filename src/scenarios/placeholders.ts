/** Placeholders in scenario values: `${thread}`, `${param:name}`, `${id.body.items[0].id}`; `$${` stands for a plain `${`. */

import { BOUNDS } from "../kernel/bounds.js";
import type { Path } from "../kernel/json.js";
import { isObject, jsonLength, parsePath } from "../kernel/json.js";
import { omitUndefined } from "../kernel/objects.js";
import { keyProblemAt, type Problem, problemAt, problemsOfFirst } from "../kernel/problems.js";
import { sizeText } from "../kernel/units.js";
import { kindOf, unknownKey } from "../kernel/words.js";

/** A placeholder, or with a second $ an escaped one. */
const PLACEHOLDER = /\$(\$?)\{([^{}]*)\}/g;
const WHOLE = /^\$\{([^{}]*)\}$/;
const PARAM = "param:";

/** How many placeholders and escapes all texts of a value have at most. */
export function placeholdersIn(value: unknown): number {
  if (typeof value === "string") return value.split("${").length - 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + placeholdersIn(part), 0);
}

export const isPlaceholder = (text: string): boolean => text.includes("${");

interface Reference {
  readonly text: string;
  /** A step's id, a capture, `thread`, or a parameter's name. */
  readonly name: string;
  readonly isParam: boolean;
  readonly path: Path;
}

function readReference(text: string): Reference {
  const inner = text.trim();
  if (inner.startsWith(PARAM)) return { text, name: inner.slice(PARAM.length), isParam: true, path: [] };
  const [name = "", ...path] = parsePath(inner);
  return { text, name: String(name), isParam: false, path };
}

/** @param at the path of the text that holds the reference */
export type Resolve = (reference: Reference, at: Path) => unknown;

const MAX_FILLED = BOUNDS.filledBytes.limit;

/** Limits the size of one value. Beyond the limit, parts are replaced by what `refuse` returns, unless it throws. */
export function bounded(resolve: Resolve, refuse: (message: string, at: Path) => unknown): Resolve {
  let left = MAX_FILLED;
  return (reference, at) => {
    const value = left < 0 ? undefined : resolve(reference, at);
    left -= jsonLength(value);
    if (left >= 0) return value;
    return refuse(`\${${reference.text}}: the placeholders hold more than ${sizeText(MAX_FILLED)}`, at);
  };
}

interface FillOptions {
  /** Leaves other placeholders and escapes to a later pass. */
  readonly onlyParams?: boolean;
  /** The path of the value itself. */
  readonly at?: Path;
}

/**
 * A copy of a value with its placeholders filled in. A text that is one placeholder takes the value as it is;
 * within other text scalars are written out and all else becomes JSON.
 */
export function fillIn(value: unknown, resolve: Resolve, options: FillOptions = {}): unknown {
  const { at = [] } = options;
  if (typeof value === "string") return isPlaceholder(value) ? filledText(value, resolve, options) : value;
  if (typeof value !== "object" || value === null) return value;
  const inner = (item: unknown, key: string | number) =>
    fillIn(item, resolve, { ...options, at: [...at, key] });
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item, key)]));
}

function filledText(text: string, resolve: Resolve, { onlyParams = false, at = [] }: FillOptions): unknown {
  const read = (written: string, inner: string) => {
    const reference = readReference(inner);
    return onlyParams && !reference.isParam ? written : resolve(reference, at);
  };
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return read(text, whole);
  return text.replace(PLACEHOLDER, (written, dollar: string, inner: string) => {
    if (dollar !== "") return onlyParams ? written : written.slice(1);
    const value = read(written, inner);
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  });
}

export const eachReference = (
  value: unknown,
  at: Path,
  see: (reference: Reference, at: Path) => void,
): void => void fillIn(value, see, { at });

/** Escapes every placeholder, so that filling it in gives back the text. */
export const escaped = (text: string): string => text.replace(PLACEHOLDER, (written) => `$${written}`);

type Param = string | number | boolean | null;
export type Params = Readonly<Record<string, Param>>;

/** Fills in `${param:…}`. Values from outside take the type of their default. */
export function fillParams(
  { params: defaults, ...rest }: Readonly<Record<string, unknown>>,
  outside: Readonly<Record<string, string>>,
) {
  const params = (isObject(defaults) ? { ...defaults } : {}) as Record<string, Param>;
  const problems: (() => Problem)[] = [];
  for (const [name, text] of Object.entries(outside)) {
    if (!Object.hasOwn(params, name)) continue;
    const initial = params[name] as Param;
    const value = typed(text, initial);
    const message = `must be ${kindOf(initial)}, but --param ${name} says "${text}"`;
    if (value === undefined) problems.push(() => keyProblemAt(["params", name], message));
    else params[name] = value;
  }
  const refuse = (message: string, at: Path) => {
    problems.push(() => problemAt(at, message));
  };
  const filled = fillIn(
    rest,
    bounded(({ text, name }, at) => {
      const value = params[name];
      if (Object.hasOwn(params, name)) return typeof value === "string" ? escaped(value) : value;
      const unknown = () => unknownKey("parameter", name, Object.keys(params));
      problems.push(() => problemAt(at, `\${${text}}: ${unknown()}`));
      return `\${${text}}`;
    }, refuse),
    { onlyParams: true },
  );
  const value: Readonly<Record<string, unknown>> = {
    ...(filled as object),
    ...omitUndefined({ params: defaults }),
  };
  return { value, params: params as Params, problems: problemsOfFirst(problems, (make) => [make()]) };
}

/** The text as a value of the default's type; undefined if it is none. */
function typed(text: string, initial: Param): Param | undefined {
  if (typeof initial === "number")
    return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  if (typeof initial === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return text;
}
