import { isObject } from "./objects.js";

export { isObject };

/** The path from a value to one of its parts: object keys and array indices. */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** A path as text: `threads[0].status`, or `["window.duration"].value` for other keys than identifiers. The root is empty. */
export function pathText(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (!PLAIN_KEY.test(String(segment))) text += `[${JSON.stringify(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** The path to a part of a part, both as text. */
export const joinedPath = (path: string, inner: string): string =>
  path === "" || inner === "" || inner.startsWith("[") ? path + inner : `${path}.${inner}`;

/** Reads what {@link pathText} wrote. */
export function parsePath(text: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const [, quoted, position, key] of text.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[]+)/g)) {
    if (quoted !== undefined) path.push(JSON.parse(quoted));
    else path.push(position !== undefined ? Number(position) : (key ?? ""));
  }
  return path;
}

/** The segments of a JSON pointer into a value, which tells indices from keys of digits. */
export function pointerPath(pointer: string, value: unknown): (string | number)[] {
  let part = value;
  const segments = pointer.split("/").slice(1);
  return segments.map((escaped) => {
    const key = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    const isIndex = Array.isArray(part);
    part = valueAt(part, [key]);
    return isIndex ? Number(key) : key;
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

/** The part of a value at a path of own properties: none reaches `constructor` or `__proto__`. */
export function valueAt(value: unknown, path: Path): unknown {
  let part = value;
  for (const segment of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, segment)) return undefined;
    part = Reflect.get(part, segment);
  }
  return part;
}

/** Applies a JSON merge patch (RFC 7396): null removes a field, and a value other than an object replaces the target. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const fields = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else fields.set(key, mergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}

/** A copy of a value with its leaves mapped, that is all parts other than objects and arrays. `key` is the nearest key above the leaf. */
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

/** No handwritten document is nested deeper; a much deeper one would overflow the stack of whatever traverses it. */
export const MAX_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** The limits of a JSON text: levels, keys of one object, and values in total. */
export interface JsonBounds {
  readonly levels?: number;
  readonly keys?: number;
  readonly values?: number;
}

/**
 * Which limit a JSON text exceeds, and at which character. It counts brackets, colons and commas, since parsing millions of
 * keys or open brackets takes seconds; the text need not be valid.
 */
export function sizeFault(
  text: string,
  { levels = MAX_DEPTH, keys = Number.POSITIVE_INFINITY, values = Number.POSITIVE_INFINITY }: JsonBounds = {},
): { readonly offset: number; readonly problem: string } | undefined {
  // Most bodies are too short to exceed any.
  if (text.length <= Math.min(levels, keys, values)) return undefined;
  const keysAt = [0];
  let depth = 0;
  let count = 1;
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === QUOTE) offset = endOfText(text, offset);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth = Math.max(0, depth - 1);
    else if (code === COLON) {
      const found = (keysAt[depth] ?? 0) + 1;
      if (found > keys) return { offset, problem: `must not have an object with more than ${keys} keys` };
      keysAt[depth] = found;
    } else if (code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) {
      count += 1;
      if (count > values) return { offset, problem: `must not hold more than ${values} values` };
      if (code === COMMA) continue;
      depth += 1;
      if (depth > levels) return { offset, problem: `must not be nested deeper than ${levels} levels` };
      keysAt[depth] = 0;
    }
  }
  return undefined;
}

/** Where the string that begins at a quote ends, or at least the end of the text if it is not closed. */
function endOfText(text: string, quote: number): number {
  let end = quote + 1;
  while (end < text.length && text.charCodeAt(end) !== QUOTE)
    end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  return end;
}

/** Why a value has too many parts, itself included, or is nested too deeply; undefined if neither. */
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
    if (depth > levels) return `must not be nested deeper than ${levels} levels`;
    if (typeof part !== "object" || part === null) continue;
    for (const inner of Object.values(part)) left.push({ part: inner, depth: depth + 1 });
  }
  return undefined;
}

/** How long a value is as JSON, in characters. */
export const jsonLength = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
