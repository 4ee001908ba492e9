import { isKeyOf } from "./objects.js";
import { anyOf, integer, string } from "./schema.js";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration: `"90s"`, `"24h"`, `"500ms"`, or a number of milliseconds. */
export const durationSchema = anyOf(
  [string({ format: "duration", examples: ["90s", "24h"] }), integer({ minimum: 0 })],
  {
    description: 'a duration: "500ms", "90s", "5m", "24h", "2d", or milliseconds',
  },
);
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
