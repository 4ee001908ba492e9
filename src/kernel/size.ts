/** Amounts of memory: in words, such as `512MiB`, and estimated. */
import { isObject } from "./json.js";

const UNITS = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export const SIZE = { pattern: "^[1-9]\\d{0,5}(MiB|GiB)$", "x-form": "a size such as 512MiB or 2GiB" };

const FORM = new RegExp(SIZE.pattern);

/** The bytes of a size in the form of `SIZE`; NaN for other texts. */
export function bytesOfSize(text: string): number {
  const unit = FORM.exec(text)?.[1];
  return unit === undefined ? Number.NaN : Number.parseInt(text, 10) * UNITS[unit as "MiB" | "GiB"];
}

/** A number of bytes as a size, in the largest unit that leaves a whole number or one decimal place. */
export function sizeText(bytes: number): string {
  const unit = bytes >= UNITS.GiB ? "GiB" : bytes >= UNITS.MiB ? "MiB" : "KiB";
  return `${Math.round((bytes / UNITS[unit]) * 10) / 10} ${unit}`;
}

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

/** What a JSON value takes in memory with all that it holds, in bytes, rather too much. Records are counted at each write: `Object.entries` takes thrice as long. */
export function estimateBytes(value: unknown): number {
  if (typeof value === "string") return TEXT_BYTES + 2 * value.length;
  if (typeof value === "number") return NUMBER_BYTES;
  if (Array.isArray(value)) {
    let bytes = ARRAY_BYTES + ITEM_BYTES * value.length;
    for (const item of value) bytes += estimateBytes(item);
    return bytes;
  }
  if (!isObject(value)) return 0;
  let bytes = OBJECT_BYTES;
  for (const name in value)
    bytes += FIELD_BYTES + (name.length > SHARED_NAME ? estimateBytes(name) : 0) + estimateBytes(value[name]);
  return bytes;
}
