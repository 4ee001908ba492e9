/** What of a sandbox outlasts the process: values by key, in named parts. A store keeps them; this is what tells it. */

import type { ClockState } from "../kernel/clock.js";
import type { IdSeries } from "../protocol/names.js";
import { Refusal } from "../service/domain/refusals.js";
import type { CollectionName } from "../service/world/records.js";

export type PartName =
  | CollectionName
  /** Clock, counters of ids, numbers of logs, the place in the stream of chance. */
  | "run"
  | "behaviour"
  | "faults"
  | "rates"
  | "sinks"
  | "deliveries"
  | "failures";

/** A part as it stands now. Values are JSON. */
export interface DurablePart {
  keys(): Iterable<string>;
  get(key: string): unknown;
}

export type KeptParts = { readonly [P in PartName]?: ReadonlyMap<string, unknown> };

export interface StoreStatus {
  readonly location: string;
  readonly durability: string;
  /** Why changes cannot be kept now; null while they can. */
  readonly failure: string | null;
  readonly entries: number;
  readonly bytes: number;
  readonly checkpoints: number;
  readonly failures: number;
  /** How long the last entry took, ms. */
  readonly lastMs: number;
}

export type Milestone =
  | readonly ["reset"]
  /** State and clock were kept under a name, given back from there, forgotten. */
  | readonly ["snapshot", string, ClockState]
  | readonly ["restore", string]
  | readonly ["forget", string];

/** When a call whose change cannot be kept may come again, seconds. */
const RETRY_AFTER_S = 1;

/** Another process has the sandbox: whatever was wanted of it can be had there. */
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
    super("limits.overloadError", { reason, retryAfter: RETRY_AFTER_S });
  }
}

/** Is told of every change of a sandbox that is to outlast the process. */
export interface ChangeLog {
  /** The value under a key has become another, or none. `value` spares looking it up, where the caller has it and it stays as it is. */
  changed(part: PartName, key: string, value?: object | null): void;
  /** The same of something that a call counts by the way: no answer waits until it is kept. */
  counted(part: PartName, key: string): void;
  /** Everything changed so far happened before this. */
  milestone(milestone: Milestone): void;
  /** All of the sandbox is to be written anew. */
  replaced(): void;
  /** @throws PersistenceUnavailableError while changes cannot be kept */
  check(): void;
  /** How many changes there were: a call that began with as many has changed nothing. */
  readonly changes: number;
  /**
   * Resolves when what happened so far is as safe as was promised; undefined where it is already, or cannot be and nothing has
   * changed `since`.
   *
   * @throws PersistenceUnavailableError
   */
  settled(since?: number): Promise<void> | undefined;
  /**
   * Proves that no other process has the sandbox where this one may have stood still since `settled`; undefined where it has not.
   *
   * @throws PersistenceUnavailableError
   */
  proven(since: number): Promise<void> | undefined;
  /** The sandbox is gone for good. */
  removed(): void;
}

/** Of sandboxes that end with the process. */
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

/** Values by key that outlast the process: a map that tells of its changes. */
export class DurableMap<V> implements DurablePart {
  readonly #values: Map<string, V>;
  readonly #log: ChangeLog;
  readonly #part: PartName;
  readonly #tell: "changed" | "counted";

  constructor(log: ChangeLog, part: PartName, kept?: KeptParts, tell: "changed" | "counted" = "changed") {
    this.#log = log;
    this.#part = part;
    this.#tell = tell;
    // What a part's values are is checked where they are read.
    this.#values = new Map(kept?.[part] as ReadonlyMap<string, V> | undefined);
  }

  get size(): number {
    return this.#values.size;
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  values(): IterableIterator<V> {
    return this.#values.values();
  }

  entries(): IterableIterator<[string, V]> {
    return this.#values.entries();
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    this.#values.set(key, value);
    this.#log[this.#tell](this.#part, key);
  }

  delete(key: string): boolean {
    const known = this.#values.delete(key);
    if (known) this.#log[this.#tell](this.#part, key);
    return known;
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.delete(key);
  }

  changed(key: string): void {
    this.#log.changed(this.#part, key);
  }

  /** The value itself has changed, by counting. */
  counted(key: string): void {
    this.#log.counted(this.#part, key);
  }
}
