import type { Schema } from "./schema.js";
import { FORMATS } from "./schema.js";

const MAX_QUOTED = 60;
/** Declared here and described in `bounds.ts`: the dashboard needs the number without the texts of all bounds. */
export const MAX_LISTED = 100;

/** The texts for the rest of a list: of unknown length, and of a known one. */
export const MORE = "and more, which are not listed";
export const andMore = (count: number): string => `and ${count} more`;

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};

/** The kind of a value: `a string`, `an array`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "boolean") return "a boolean";
  return TYPES[typeof value] ?? typeof value;
}

/** The value itself if it is short, otherwise its kind. */
export function preview(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
  return typeof value === "object" || typeof value === "function" ? kindOf(value) : String(value);
}

/** `a, b or c` */
export function either(alternatives: readonly string[]): string {
  const distinct = [...new Set(alternatives)];
  const last = distinct.pop() ?? "nothing";
  return distinct.length === 0 ? last : `${distinct.join(", ")} or ${last}`;
}

export const describeType = (type: string | readonly string[]): string =>
  either([type].flat().map((name) => TYPES[name] ?? name));

/** `1 thread`, `2 threads`, `2 businesses` */
export const counted = (
  count: number,
  one: string,
  many = one.endsWith("s") ? `${one}es` : `${one}s`,
): string => `${count} ${count === 1 ? one : many}`;

/** `businesses` → `business` */
export const singular = (collection: string): string => collection.replace(/(ss)es$|s$/, "$1");

/** What a schema accepts: `a duration (such as "90s" or "24h") or an integer`. */
export function describeSchema(schema: Schema | boolean | undefined): string {
  if (typeof schema !== "object") return "anything";
  const { type, enum: values, const: constant, format, anyOf, $ref, "x-form": form } = schema;
  const orNull = (text: string) => (Array.isArray(type) && type.includes("null") ? `${text} or null` : text);
  if (form !== undefined) return orNull(form);
  if (values !== undefined)
    return `one of ${values.map((value) => (typeof value === "string" ? value : preview(value))).join(", ")}`;
  if (constant !== undefined) return preview(constant);
  if (anyOf !== undefined) return either(anyOf.map(describeSchema));
  if (format !== undefined) return orNull(FORMATS[format]?.words ?? `in the form ${format}`);
  if (type !== undefined) return describeType(type);
  return $ref?.split("/").pop() || "another value";
}

/** Limits on suggestions, whose cost grows with the length of the words and the number of candidates. */
const MAX_WORD = 100;
const MAX_KNOWN = 1_000;

/** The known word that was most likely meant, if any is near enough. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of [...known].slice(0, MAX_KNOWN)) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The edit distance of two words, counting insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const [letter, other] = [from[row - 1], to[column - 1]];
      const isSwapped = letter === to[column - 2] && other === from[row - 2];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const replaced = at(row - 1, column - 1) + (letter === other ? 0 : 1);
      current.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(from.length, to.length);
}

/** Up to this many names are listed in full in a message; of more, only `FEW`. */
const MAX_NAMED = 30;
const FEW = 8;

/** The available names, for a message: `9001, 9002`, `none`, or the first few and how many more there are. */
export function namesText(names: Iterable<string>): string {
  const all = [...names];
  if (all.length <= MAX_NAMED) return all.join(", ") || "none";
  return `${all.slice(0, FEW).join(", ")} ${andMore(all.length - FEW)}`;
}

/** What to say about an unknown key: the likely one, otherwise all `names`; `what` is `field`, `collection`, `step` … */
export function unknownKey(what: string, key: unknown, known: Iterable<string>, names = known): string {
  const meant = typeof key === "string" ? nearest(key, known) : undefined;
  const message = `unknown ${what} ${preview(key)}`;
  if (meant !== undefined) return `${message}: did you mean ${JSON.stringify(meant)}?`;
  const all = [...names];
  if (all.length === 0) return `${message}: there is none`;
  if (all.length <= MAX_NAMED) return `${message}: it must be ${either(all)}`;
  return `${message}: known are ${namesText(all)}`;
}
