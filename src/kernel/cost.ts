/** What values cost in memory: estimates in bytes that err on the high side. */
import { isObject } from "./json.js";

/** A text's own object, and at most two bytes for each character. */
const TEXT_BYTES = 24;
/** `{}` as JSON makes it: a header and room for four fields. */
const OBJECT_BYTES = 56;
const FIELD_BYTES = 24;
const ARRAY_BYTES = 32;
const ITEM_BYTES = 8;
/** A number that is no small integer. */
const NUMBER_BYTES = 16;
/** Names of fields up to this length are few, and shared by all objects that have them. */
const SHARED_NAME = 32;

/** What a text costs; nothing where there is none. */
export const costOfText = (text: string | null | undefined): number =>
  text === null || text === undefined ? 0 : TEXT_BYTES + 2 * text.length;

/** What a JSON value costs with everything that it holds. Records are counted at each write: `Object.entries` takes thrice as long. */
export function costOf(value: unknown): number {
  if (typeof value === "string") return costOfText(value);
  if (typeof value === "number") return NUMBER_BYTES;
  if (Array.isArray(value)) {
    let bytes = ARRAY_BYTES + ITEM_BYTES * value.length;
    for (const item of value) bytes += costOf(item);
    return bytes;
  }
  if (!isObject(value)) return 0;
  let bytes = OBJECT_BYTES;
  for (const name in value)
    bytes += FIELD_BYTES + (name.length > SHARED_NAME ? costOfText(name) : 0) + costOf(value[name]);
  return bytes;
}
