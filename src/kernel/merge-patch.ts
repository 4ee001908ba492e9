import { isObject } from "./json.js";

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
