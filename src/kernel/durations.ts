/** Durations as text, below the schemas whose format they are. */
import { isKeyOf } from "./objects.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A thousand years: an instant that far from any other is still a valid date. */
export const MAX_DURATION_MS = 365_000 * UNITS.d;

export type WrittenDuration = string | number;

/** The milliseconds of a duration; NaN if it is not valid. */
export function milliseconds(duration: WrittenDuration): number {
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
