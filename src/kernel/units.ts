/** Durations and amounts of memory, in words: `90s`, `512MiB`. */
import { MAX_DURATION_MS } from "./durations.js";
import { anyOf, integer, string } from "./schema.js";

export { durationText, milliseconds, type WrittenDuration } from "./durations.js";

/** A duration: `"90s"`, `"24h"`, `"500ms"`, or a number of milliseconds. Its forms are described, so a field may describe its use. */
export const durationSchema = anyOf([
  string({
    format: "duration",
    examples: ["90s", "24h"],
    description: 'a duration: "500ms", "90s", "5m", "24h", "2d"',
  }),
  integer({
    minimum: 0,
    maximum: MAX_DURATION_MS,
    "x-form": "a number of milliseconds",
    description: "milliseconds",
  }),
]);

const SIZES = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** A number of bytes as a size, in the largest unit that leaves a whole number or one decimal place. */
export function sizeText(bytes: number): string {
  const unit = bytes >= SIZES.GiB ? "GiB" : bytes >= SIZES.MiB ? "MiB" : "KiB";
  return `${Math.round((bytes / SIZES[unit]) * 10) / 10} ${unit}`;
}
