import type { Path } from "./path.js";

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is of a type of JSON Schema. */
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
