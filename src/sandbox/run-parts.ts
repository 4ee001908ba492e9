/** What of a run outlasts the process, part by part. */

import { BOUNDS } from "../kernel/bounds.js";
import type { Clock, ClockPosition } from "../kernel/clock.js";
import { fromKeys, isKeyOf, keysOf } from "../kernel/keys.js";
import { mapped } from "../kernel/mapped.js";
import { Behaviour } from "../service/behaviour/behaviour.js";
import type { ReadCounts } from "../service/behaviour/counted-values.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { COLLECTIONS } from "../service/world/records.js";
import type { Counters } from "../service/world/state.js";
import type { World } from "../service/world/world.js";
import type { ChangeLog, DurablePart, KeptParts, PartName } from "./durable.js";
import { DurableMap, NOTHING_KEPT } from "./durable.js";
import type { Faults } from "./faults.js";
import type { JournalEntry } from "./journal.js";
import type { MemoryLease } from "./memory.js";
import type { Sinks } from "./sinks.js";

interface RunBehaviourContext {
  /** Counts who consults the values. */
  readonly reads: ReadCounts;
  readonly memory: MemoryLease;
  readonly log: ChangeLog;
  /** What another process had. */
  readonly kept: KeptParts | undefined;
}

/** The behaviour of a run: that of its start, and what was changed since, which outlasts the process. */
export class RunBehaviour extends Behaviour {
  /** The values that were changed since the start. */
  readonly patches: DurableMap<unknown>;
  readonly #log: ChangeLog;
  readonly #memory: MemoryLease;

  constructor(start: Partial<BehaviourValues>, { reads, memory, log, kept }: RunBehaviourContext) {
    const patches = new DurableMap<unknown>(log, "behaviour", kept);
    super({ ...start, ...Object.fromEntries(patches.entries()) }, reads);
    this.patches = patches;
    this.#log = log;
    this.#memory = memory;
    if (patches.size > 0) this.#count({});
  }

  /** What decides about a call: consulted by the system under test, but not by a scenario's own calls. */
  valuesFor({ by }: Pick<JournalEntry, "by">): BehaviourValues {
    return by === "client" ? this.counted : this.values;
  }

  /** @throws Refusal where the memory has no room for the change, or it cannot be kept */
  override patch(values: Partial<BehaviourValues>): void {
    this.#log.check();
    this.#count(values);
    for (const [key, value] of Object.entries(values)) this.patches.set(key, value);
    super.patch(values);
  }

  #count(values: Partial<BehaviourValues>): void {
    this.#memory.set("behaviour", { ...Object.fromEntries(this.patches.entries()), ...values });
  }
}

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

/** How many entries each log of a run ever had: ids go on from there. */
export interface LogTotals {
  readonly requests: number;
  readonly deliveries: number;
  readonly controls: number;
  readonly warnings: number;
  readonly received: number;
}

/** The single values of a run, beside its parts with many. */
interface RunValues {
  readonly clock: ClockPosition;
  readonly began: number;
  readonly counters: Counters;
  readonly logs: LogTotals;
  readonly faults: Faults["position"];
}

/** The parts of a run that hold what outlasts the process. */
interface DurableRun {
  readonly world: World;
  readonly clock: Clock;
  began(): number;
  readonly logs: { readonly totals: Omit<LogTotals, "received"> };
  readonly sinks: Sinks;
  readonly faults: Faults;
  readonly rates: RateWindows;
  readonly behaviour: { readonly patches: DurablePart };
  readonly deliveries: { readonly pending: DurablePart; readonly failures: DurablePart };
}

const RUN_VALUES: { readonly [K in keyof RunValues]: (run: DurableRun) => RunValues[K] } = {
  clock: ({ clock }) => clock.position(),
  began: ({ began }) => began(),
  counters: ({ world }) => world.counters,
  logs: ({ logs, sinks }) => ({ ...logs.totals, received: sinks.total }),
  faults: ({ faults }) => faults.position,
};

/** Everything of a run that outlasts the process. */
export const partsOf = (run: DurableRun): Readonly<Record<PartName, DurablePart>> => ({
  ...fromKeys(COLLECTIONS, (collection) => ({
    keys: () => mapped(run.world.all(collection), ({ id }) => id),
    get: (id: string) => run.world.get(collection, id),
  })),
  run: {
    keys: () => keysOf(RUN_VALUES),
    get: (key) => (isKeyOf(RUN_VALUES, key) ? RUN_VALUES[key](run) : undefined),
  },
  behaviour: run.behaviour.patches,
  faults: run.faults.rules,
  rates: run.rates.windows,
  sinks: run.sinks.settings,
  deliveries: run.deliveries.pending,
  failures: run.deliveries.failures,
});
