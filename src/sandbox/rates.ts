import { BOUNDS } from "../kernel/bounds.js";
import { type InferReadonly, integer, object } from "../kernel/schema.js";
import { NOT_SAVED, type Saver } from "./saver.js";

export const rateWindowSchema = object({ start: integer(), calls: integer({ minimum: 0 }) });

export type RateWindow = InferReadonly<typeof rateWindowSchema>;

/** Counts calls in windows of the world's time (behaviour `limits.rate`). */
export class RateWindows {
  /** By token, in the order in which they began. */
  readonly windows: Map<string, RateWindow>;

  /** `kept`: those of a saved sandbox. */
  constructor(
    private readonly saver: Pick<Saver, "changed"> = NOT_SAVED,
    kept: Readonly<Record<string, RateWindow>> = {},
  ) {
    this.windows = new Map(Object.entries(kept));
  }

  /** Counts one call of a token; 0 if it is within the limit, else the milliseconds until its window ends. */
  take(token: string, now: number, limit: { readonly requests: number; readonly per: number }): number {
    const { windows } = this;
    const window = windows.get(token);
    if (window !== undefined && now < window.start + limit.per && now >= window.start) {
      if (window.calls >= limit.requests) return window.start + limit.per - now;
      windows.set(token, { ...window, calls: window.calls + 1 });
    } else {
      windows.delete(token);
      windows.set(token, { start: now, calls: 1 });
      if (windows.size > BOUNDS.rateWindows.limit) windows.delete(windows.keys().next().value as string);
    }
    this.saver.changed();
    return 0;
  }
}
