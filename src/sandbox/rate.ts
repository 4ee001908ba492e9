import { BOUNDS } from "../kernel/bounds.js";
import type { ChangeLog, KeptParts } from "./durable.js";
import { DurableMap, NOTHING_KEPT } from "./durable.js";

/** How many tokens are counted at once: one more, and the window that began first is forgotten. */
export const MAX_WINDOWS = BOUNDS.rateWindows.limit;

/** Counts calls in windows of the world's time (behaviour `limits.rate`). */
export class RateWindows {
  readonly windows: DurableMap<{ start: number; calls: number }>;

  constructor(log: ChangeLog = NOTHING_KEPT, kept?: KeptParts) {
    this.windows = new DurableMap(log, "rates", kept, "counted");
  }

  /**
   * Counts one call of a token at `now`. Answers 0 when it is within the limit, else the milliseconds
   * until the window ends. A window starts with the first call after the last one ended.
   */
  take(token: string, now: number, limit: { readonly requests: number; readonly per: number }): number {
    const window = this.windows.get(token);
    if (window === undefined || now >= window.start + limit.per || now < window.start) {
      this.#begin(token, now);
      return 0;
    }
    if (window.calls >= limit.requests) return window.start + limit.per - now;
    window.calls += 1;
    this.windows.counted(token);
    return 0;
  }

  get size(): number {
    return this.windows.size;
  }

  #begin(token: string, now: number): void {
    // Windows stand in the order in which they began.
    this.windows.delete(token);
    this.windows.set(token, { start: now, calls: 1 });
    if (this.windows.size > MAX_WINDOWS) this.windows.delete(this.windows.keys().next().value as string);
  }
}
