/** The parts of a sandbox that survive the process: values by key, in named parts. The sandbox reports changes to a store here. */

import type { ClockState } from "../kernel/clock.js";
import type { IdSeries } from "../protocol/names.js";
import { Refusal } from "../service/domain/refusals.js";
import type { CollectionName } from "../service/world/records.js";

export type PartName =
  | CollectionName
  /** The clock, id counters, log positions, and the state of the random stream. */
  | "run"
  | "behaviour"
  | "faults"
  | "rates"
  | "sinks"
  | "deliveries"
  | "failures";

/** The current values of a part, as JSON. */
export interface DurablePart {
  keys(): Iterable<string>;
  get(key: string): unknown;
}

export type KeptParts = { readonly [P in PartName]?: ReadonlyMap<string, unknown> };

export interface StoreStatus {
  readonly location: string;
  readonly durability: string;
  /** Why changes cannot be saved now; null if they can. */
  readonly failure: string | null;
  readonly entries: number;
  readonly bytes: number;
  readonly checkpoints: number;
  readonly failures: number;
  /** How long the last write took, ms. */
  readonly lastMs: number;
}

export type Milestone =
  | readonly ["reset"]
  /** State and clock were saved under a name, restored from it, or deleted. */
  | readonly ["snapshot", string, ClockState]
  | readonly ["restore", string]
  | readonly ["forget", string];

/** Another process holds the sandbox: calls for it belong there. */
export class LeaseHeldElsewhereError extends Error {
  override readonly name = "LeaseHeldElsewhereError";

  constructor(readonly id: string) {
    super(`another process holds the sandbox ${id}`);
  }
}

/** What a list shows of a sandbox that is not open in this process. */
export interface SandboxSummary {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: IdSeries;
  readonly now: number;
  readonly frozen: boolean;
  readonly expiresAt: number | null;
}

export class PersistenceUnavailableError extends Refusal {
  constructor(reason: string) {
    super("store.unavailable", { reason, retryAfter: 1 });
  }
}

/** Notified of every change of a sandbox that has to survive the process. */
export interface ChangeLog {
  /** The value under a key was changed or removed. Pass `value` to avoid a lookup if it is at hand and immutable. */
  changed(part: PartName, key: string, value?: object | null): void;
  /** The same for counters: no answer waits until they are saved. */
  counted(part: PartName, key: string): void;
  /** Marks that all changes so far come before this. */
  milestone(milestone: Milestone): void;
  /** The whole sandbox has to be rewritten. */
  replaced(): void;
  /** @throws PersistenceUnavailableError while changes cannot be saved */
  check(): void;
  /** The number of changes so far: if it is the same before and after a call, the call changed nothing. */
  readonly changes: number;
  /**
   * Resolves once all changes so far are durable; undefined if they are, or if they cannot be saved and there were none since.
   * @throws PersistenceUnavailableError
   */
  settled(since?: number): Promise<void> | undefined;
  /**
   * Checks that no other process has taken the sandbox while this one may have been suspended since `settled`; undefined if not.
   * @throws PersistenceUnavailableError
   */
  proven(since: number): Promise<void> | undefined;
  /** The sandbox was deleted. */
  removed(): void;
}

/** For sandboxes that end with the process. */
export const NOTHING_KEPT: ChangeLog = {
  changed: () => {},
  counted: () => {},
  milestone: () => {},
  replaced: () => {},
  check: () => {},
  changes: 0,
  settled: () => undefined,
  proven: () => undefined,
  removed: () => {},
};

/** A map whose values survive the process: it reports its changes. The values of a part are validated where they are read. */
export class DurableMap<V> extends Map<string, V> {
  constructor(
    private readonly log: ChangeLog,
    private readonly part: PartName,
    kept?: KeptParts,
    private readonly tell: "changed" | "counted" = "changed",
  ) {
    super();
    for (const [key, value] of kept?.[part] ?? []) super.set(key, value as V);
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    this.log[this.tell](this.part, key);
    return this;
  }

  override delete(key: string): boolean {
    const known = super.delete(key);
    if (known) this.log[this.tell](this.part, key);
    return known;
  }

  override clear(): void {
    for (const key of [...this.keys()]) this.delete(key);
  }

  changed(key: string): void {
    this.log.changed(this.part, key);
  }

  /** The value itself was changed in place, by counting. */
  counted(key: string): void {
    this.log.counted(this.part, key);
  }
}
