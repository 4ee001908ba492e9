/** What decides about calls and lasts over them: behaviour values and rate windows. */

import { BOUNDS } from "../kernel/bounds.js";
import type { ReadCounts } from "../service/behaviour/behaviour.js";
import { Behaviour } from "../service/behaviour/behaviour.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { ChangeLog, KeptParts } from "./durable.js";
import { DurableMap, NOTHING_KEPT } from "./durable.js";
import type { JournalEntry } from "./journal.js";
import type { MemoryLease } from "./memory.js";

/** The behaviour of a run: that of its start, and what was changed since, which outlasts the process. */
export class RunBehaviour extends Behaviour {
  readonly patches: DurableMap<unknown>;

  /** `reads` counts who consults the values; `kept` is what another process had. */
  constructor(
    start: Partial<BehaviourValues>,
    reads: ReadCounts,
    private readonly memory: MemoryLease,
    private readonly log: ChangeLog,
    kept: KeptParts | undefined,
  ) {
    const patches = new DurableMap<unknown>(log, "behaviour", kept);
    super({ ...start, ...Object.fromEntries(patches) }, reads);
    this.patches = patches;
    if (patches.size > 0) memory.set("behaviour", Object.fromEntries(patches));
  }

  /** What decides about a call: consulted by the system under test, but not by a scenario's own calls. */
  valuesFor({ by }: Pick<JournalEntry, "by">): BehaviourValues {
    return by === "client" ? this.counted : this.values;
  }

  /** @throws Refusal where the memory has no room for the change, or it cannot be kept */
  override patch(values: Partial<BehaviourValues>): void {
    this.log.check();
    this.memory.set("behaviour", { ...Object.fromEntries(this.patches), ...values });
    for (const [key, value] of Object.entries(values)) this.patches.set(key, value);
    super.patch(values);
  }
}

/** How many tokens are counted at once: one more, and the oldest window is dropped. */
export const MAX_WINDOWS = BOUNDS.rateWindows.limit;

/** Counts calls in windows of the world's time (behaviour `limits.rate`). */
export class RateWindows {
  readonly windows: DurableMap<{ start: number; calls: number }>;

  constructor(log: ChangeLog = NOTHING_KEPT, kept?: KeptParts) {
    this.windows = new DurableMap(log, "rates", kept, "counted");
  }

  /** Counts one call of a token; 0 if it is within the limit, else the milliseconds until its window ends. */
  take(token: string, now: number, limit: { readonly requests: number; readonly per: number }): number {
    const { windows } = this;
    const window = windows.get(token);
    if (window !== undefined && now < window.start + limit.per && now >= window.start) {
      if (window.calls >= limit.requests) return window.start + limit.per - now;
      window.calls += 1;
      windows.counted(token);
      return 0;
    }
    // Windows stand in the order in which they began.
    windows.delete(token);
    windows.set(token, { start: now, calls: 1 });
    if (windows.size > MAX_WINDOWS) windows.delete(windows.keys().next().value as string);
    return 0;
  }

  get size(): number {
    return this.windows.size;
  }
}
