/** Durations and amounts of memory, in words: `90s`, `512MiB`. */
import { isKeyOf } from "./objects.js";
import { anyOf, integer, string } from "./schema.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration: `"90s"`, `"24h"`, `"500ms"`, or a number of milliseconds. Its forms are described, so a field may describe its use. */
export const durationSchema = anyOf([
  string({
    format: "duration",
    examples: ["90s", "24h"],
    description: 'a duration: "500ms", "90s", "5m", "24h", "2d"',
  }),
  integer({ minimum: 0, description: "milliseconds" }),
]);
export type Duration = string | number;

/** The milliseconds of a duration; NaN if it is not valid. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === "number") return duration;
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(duration.trim()) ?? [];
  return isKeyOf(UNITS, unit) ? Math.round(Number(amount) * UNITS[unit]) : Number.NaN;
}

/** A duration as text, in the largest unit that gives an integer: `90000` is `90s`. */
export function durationText(ms: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (ms >= UNITS[unit] && ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`;
  }
  return `${ms}ms`;
}

const SIZES = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export const SIZE = { pattern: "^[1-9]\\d{0,5}(MiB|GiB)$", "x-form": "a size such as 512MiB or 2GiB" };

const FORM = new RegExp(SIZE.pattern);

/** The bytes of a size in the form of `SIZE`; NaN for other texts. */
export function bytesOfSize(text: string): number {
  const unit = FORM.exec(text)?.[1];
  return unit === undefined ? Number.NaN : Number.parseInt(text, 10) * SIZES[unit as "MiB" | "GiB"];
}

/** A number of bytes as a size, in the largest unit that leaves a whole number or one decimal place. */
export function sizeText(bytes: number): string {
  const unit = bytes >= SIZES.GiB ? "GiB" : bytes >= SIZES.MiB ? "MiB" : "KiB";
  return `${Math.round((bytes / SIZES[unit]) * 10) / 10} ${unit}`;
}
