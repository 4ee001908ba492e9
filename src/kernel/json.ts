import { BOUNDS } from "./bounds.js";
import { isObject } from "./objects.js";

export { isObject };

/** The way from the top of a value to one of its parts: keys of objects, positions in arrays. */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * A path as text: `threads[0].status`; keys that are no plain names stand quoted in brackets:
 * `["window.duration"].value`. The top itself is the empty text.
 */
export function pathText(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (!PLAIN_KEY.test(String(segment))) text += `[${JSON.stringify(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** Reads what {@link pathText} wrote. */
export function parsePath(text: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const [, quoted, position, key] of text.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[]+)/g)) {
    if (quoted !== undefined) path.push(JSON.parse(quoted));
    else path.push(position !== undefined ? Number(position) : (key ?? ""));
  }
  return path;
}

/**
 * The segments of a JSON pointer. Digits are a position where `value`, the top of the value pointed into,
 * has an array there, or where nothing is known of it.
 */
export function pointerPath(pointer: string, value?: unknown): (string | number)[] {
  if (pointer === "") return [];
  let current = value;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const known = typeof current === "object" && current !== null;
      const isPosition = known ? Array.isArray(current) : /^\d+$/.test(key);
      current = known ? (current as Record<string, unknown>)[key] : undefined;
      return isPosition ? Number(key) : key;
    });
}

export const JSON_TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  // JSON.parse reads 1e999 as Infinity, which no schema accepts.
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/**
 * The part of a value at a path of keys and positions; undefined where the path leads nowhere.
 * Only own properties count: no path reaches `constructor` or `__proto__`.
 */
export function valueAt(value: unknown, path: Path): unknown {
  let part = value;
  for (const segment of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, segment)) return undefined;
    part = Reflect.get(part, segment);
  }
  return part;
}

/** Applies a JSON merge patch (RFC 7396): null takes a field away, and what is no object replaces what is there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const fields = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, mergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}

/** A copy of a value with other leaves: parts that are no object and no array. `key` is the nearest one above the leaf. */
export function mapLeaves(
  value: unknown,
  change: (leaf: unknown, key: string) => unknown,
  key = "",
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change, key));
  if (!isObject(value)) return change(value, key);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mapLeaves(part, change, name)]),
  );
}

/** Documents that people write are not nested deeper; what is much deeper exhausts the stack of whatever walks it. */
export const MAX_DEPTH = BOUNDS.jsonDepth.limit;

const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Where a JSON text goes deeper than so many levels, if it does. Of a text that is no JSON, what its signs say. */
export function depthFault(text: string, levels: number = MAX_DEPTH): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if ((code === OPEN_ARRAY || code === OPEN_OBJECT) && (depth += 1) > levels) return at;
  }
  return undefined;
}

/** Where the text that begins at a quote ends; the end of everything where it does not. */
export function endOfText(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1))
    if (!isEscaped(text, end)) return end;
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** Why a value holds too much, itself counted, or goes too deep; undefined where it does neither. */
export function sizeProblem(
  value: unknown,
  { values, depth: levels }: { readonly values: number; readonly depth: number },
): string | undefined {
  const left: { readonly part: unknown; readonly depth: number }[] = [{ part: value, depth: 0 }];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { part, depth } = next;
    count += 1;
    if (count > values) return `must not hold more than ${values} values`;
    if (depth > levels) return `must not be nested deeper than ${levels}`;
    if (typeof part !== "object" || part === null) continue;
    for (const inner of Object.values(part)) left.push({ part: inner, depth: depth + 1 });
  }
  return undefined;
}
