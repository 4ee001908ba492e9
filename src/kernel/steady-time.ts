import { monotonicNow, wallNow } from "./realtime.js";

/** The machine's clock may be corrected by as much, ms, without counting as set back. */
const TOLERANCE_MS = 1_000;

/**
 * The time of the machine's clock, which goes on where that clock is set back: what is due in a minute comes in a minute.
 * When the clock is set forward, as after a sleep of the machine, so is this time.
 */
export class SteadyTime {
  #ahead = 0;
  #last = wallNow();
  #measuredAt = monotonicNow();

  now(): number {
    const measured = monotonicNow();
    const expected = this.#last + Math.round(measured - this.#measuredAt);
    const told = wallNow() + this.#ahead;
    if (told < expected - TOLERANCE_MS) this.#ahead += expected - told;
    this.#last = wallNow() + this.#ahead;
    this.#measuredAt = measured;
    return this.#last;
  }
}
