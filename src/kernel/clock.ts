import type { OnError } from "./errors.js";
import { runSafely } from "./errors.js";
import type { Later } from "./realtime.js";
import { later, wallNow } from "./realtime.js";
import type { InferReadonly } from "./schema.js";
import { boolean, integer, object } from "./schema.js";

export interface Timer {
  readonly due: number;
  /** Cancels the timer; does nothing if it has already fired. */
  cancel(): void;
}

interface Entry extends Timer {
  readonly run: () => void | Promise<unknown>;
}

export const clockSchema = object({
  now: integer({ description: "the sandbox's time, ms" }),
  frozen: boolean({ description: "true: time stands still until it is set or advanced" }),
});
/** The state of a clock: its instant in milliseconds, and whether it is running. */
export type ClockState = InferReadonly<typeof clockSchema>;

/** What a clock needs to continue in another process: its instant if frozen, or its offset from the machine's time. */
export type ClockPosition = { readonly frozenAt: number } | { readonly aheadMs: number };

/**
 * The clock of one world. It follows real time, runs from another instant, or stands still until it is advanced.
 * Timers fire in the order of their instants, and of the same instant in the order in which they were set.
 */
export class Clock {
  #offset = 0;
  #frozenAt: number | undefined;
  /** In the order in which they are due. A world has some ten thousand at most. */
  readonly #timers: Entry[] = [];
  #wake: Later | undefined;
  #closed = false;
  /** Changes whenever the time is set from outside, which ends a running `advance`. */
  #version = 0;

  /**
   * Starts frozen at `start`, continues from a saved state, or follows real time. `onMove` is called when the clock is set or
   * advanced, not as real time passes. `report` receives errors of timers that fire in real time; without it they throw.
   */
  constructor(
    start?: number | ClockPosition,
    readonly onMove?: () => void,
    readonly report: OnError = (error) => {
      throw error;
    },
  ) {
    if (typeof start !== "object") this.#frozenAt = start;
    else if ("frozenAt" in start) this.#frozenAt = start.frozenAt;
    else this.#offset = start.aheadMs;
  }

  now(): number {
    return this.#frozenAt ?? wallNow() + this.#offset;
  }

  state(): ClockState {
    return { now: this.now(), frozen: this.#frozenAt !== undefined };
  }

  position(): ClockPosition {
    return this.#frozenAt === undefined ? { aheadMs: this.#offset } : { frozenAt: this.#frozenAt };
  }

  get pending(): number {
    return this.#timers.length;
  }

  /**
   * Sets the instant, or freezes or unfreezes the clock, and ends a running `advance`. The jump itself fires no timer:
   * timers that are now due fire at once if the clock runs, or with the next `advance` if it is frozen.
   */
  set({ now, frozen }: { now?: number | undefined; frozen?: boolean | undefined }): void {
    this.#version += 1;
    this.#put(now, frozen ?? this.#frozenAt !== undefined);
  }

  /** Stops for good: no more timers fire, and a running advance ends. */
  close(): void {
    this.#version += 1;
    this.#closed = true;
    this.#timers.length = 0;
    this.#arm();
  }

  /** Calls `run` when the world's time reaches `due`. If it returns a promise, `advance` awaits it before time moves on. */
  at(due: number, run: () => void | Promise<unknown>): Timer {
    if (Number.isNaN(due)) throw new RangeError("a timer needs a time");
    const cancel = () => {
      const place = this.#timers.lastIndexOf(entry, this.#placeAfter(due) - 1);
      if (place >= 0) this.#timers.splice(place, 1);
      if (this.#timers.length === 0) this.#arm();
    };
    const entry: Entry = { due, run, cancel };
    if (!this.#closed) this.#timers.splice(this.#placeAfter(due), 0, entry);
    if (this.#timers[0] === entry) this.#arm();
    return entry;
  }

  /**
   * Advances the time by `ms`, running due timers in order and awaiting each; to be called again once that has ended.
   * If a timer fails, time still moves on, and the promise rejects with the first error.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw new RangeError("time only moves forward");
    if (this.#closed) return;
    const version = this.#version;
    const { now, frozen } = this.state();
    const target = now + ms;
    const failures: unknown[] = [];
    this.#put(now, true);
    for (const next of this.#takeDue(() => target)) {
      this.#frozenAt = Math.max(this.now(), next.due);
      try {
        await next.run();
      } catch (failure) {
        failures.push(failure);
      }
      if (version !== this.#version) break;
    }
    if (version === this.#version) this.#put(target, frozen);
    if (failures.length > 0) throw failures[0];
  }

  /** Where a timer belongs: after all that are due at the same instant. */
  #placeAfter(due: number): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#timers[middle] as Entry).due <= due) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #put(now: number | undefined, frozen: boolean): void {
    const instant = now ?? this.now();
    this.#offset = instant - wallNow();
    this.#frozenAt = frozen ? instant : undefined;
    this.#arm();
    this.onMove?.();
  }

  /** Schedules the only real-time wake-up, for the next timer. If it fires too early, it schedules another. */
  #arm(): void {
    this.#wake?.cancel();
    const [first] = this.#timers;
    if (first === undefined || this.#frozenAt !== undefined) return;
    this.#wake = later(first.due - this.now(), () => this.#fire(), { background: true });
  }

  #fire(): void {
    try {
      for (const next of this.#takeDue(() => this.now())) runSafely(this.report, next.run);
    } finally {
      this.#arm();
    }
  }

  /** Removes and yields the due timers one by one, including those set in the meantime. */
  *#takeDue(until: () => number): Generator<Entry> {
    for (;;) {
      const [next] = this.#timers;
      if (next === undefined || next.due > until()) return;
      this.#timers.shift();
      yield next;
    }
  }
}
