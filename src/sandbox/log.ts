import { costOf } from "../kernel/cost.js";
import { numberOf } from "../kernel/entry-ids.js";
import { KeptRing } from "./kept-ring.js";
import type { Account } from "./memory-budget.js";

/** What a log holds: an entry with an id. */
export interface Logged {
  readonly id: string;
}

/** What an entry costs beside its texts: its own object and those around it. */
export const ENTRY_BYTES = 512;

/**
 * A log of entries with ids that count up (`r1`, `r2`, …), bounded by their number and by a memory budget. The oldest
 * entries are evicted: a reader that must have seen everything asks `evictedSince`.
 */
export class Log<T extends Logged> {
  readonly #ring: KeptRing<T>;
  /** How many entries `clear` took away on purpose. */
  #cleared = 0;
  /** How many entries another process had: those of them that are not here are gone with it. */
  #resumedAt = 0;

  constructor(
    /** The letter in front of the number of an id. */
    readonly prefix: string,
    /** How many entries are kept. */
    readonly limit: number,
    account: Account,
    /** Called for each new entry, and for each that has become something else. */
    readonly onChange?: (entry: T) => void,
    /** Called for each new entry. */
    readonly onAdd?: () => void,
  ) {
    this.#ring = new KeptRing(limit, account);
  }

  /** The id that the next entry must have. */
  nextId(): string {
    return `${this.prefix}${this.#ring.total + 1}`;
  }

  /** The id of the newest entry there ever was; null before the first. */
  get newestId(): string | null {
    return this.#ring.total === 0 ? null : `${this.prefix}${this.#ring.total}`;
  }

  /** The position after the newest entry: a mark for `evictedSince` and `from`. */
  get mark(): number {
    return this.#ring.total;
  }

  get size(): number {
    return this.#ring.length;
  }

  /** Adds an entry whose texts and values cost so many bytes. */
  add(entry: T, bytes = 0): T {
    this.#ring.push(entry, ENTRY_BYTES + bytes);
    this.onAdd?.();
    this.changed(entry);
    return entry;
  }

  /**
   * Reports that an entry has changed, and costs so many bytes more. One that was evicted before its end is reported too: whoever
   * waits for a call hears of it however many came meanwhile. One that was cleared is not.
   */
  changed(entry: T, bytes = 0): void {
    if (this.onChange === undefined && bytes === 0) return;
    const position = numberOf(entry.id) - 1;
    const isEvicted = position >= this.#cleared && position < this.#ring.first;
    if (!isEvicted && this.#ring.at(position) !== entry) return;
    if (bytes > 0) this.#ring.grow(position, bytes);
    this.onChange?.(entry);
  }

  get(id: string): T | undefined {
    return this.#ring.at(this.positionOf(id));
  }

  /** The position of an id; NaN for one that is no id of this log. */
  positionOf(id: string): number {
    return id.startsWith(this.prefix) && /^.[1-9]\d*$/.test(id) ? numberOf(id) - 1 : Number.NaN;
  }

  /** The entries that are left from a position on, oldest first; none that comes while they are read. */
  from(position = 0): Generator<T> {
    return this.#ring.from(position);
  }

  /** The entries at these positions, in their order; without those that are evicted before it is their turn. */
  *held(positions: Iterable<number>): Generator<T> {
    for (const position of positions) {
      const entry = this.#ring.at(position);
      if (entry !== undefined) yield entry;
    }
  }

  /** How many entries from a position on are gone because newer ones came, or with the process that had them. */
  evictedSince(position: number): number {
    const since = Math.max(position, this.#cleared);
    let gone = Math.max(0, this.#ring.first - since);
    for (let at = Math.max(since, this.#ring.first); at < this.#resumedAt; at += 1)
      if (this.#ring.at(at) === undefined) gone += 1;
    return gone;
  }

  /** Before the first entry: ids go on after this number, as if that many had been cleared. */
  startAfter(total: number): void {
    this.#ring.skipTo(total);
    this.#cleared = total;
  }

  /** Goes on after so many entries of another process, of which only these are left; `bytesOf` tells what each costs. */
  resume(total: number, left: readonly T[] = [], bytesOf: (entry: T) => number = costOf): void {
    const byPosition = new Map(left.map((entry) => [numberOf(entry.id) - 1, entry]));
    const [oldest = total] = byPosition.keys();
    const first = Math.max(oldest, total - this.limit);
    this.#ring.skipTo(first);
    for (let position = first; position < total; position += 1) {
      const entry = byPosition.get(position);
      this.#ring.push(entry, entry === undefined ? 0 : ENTRY_BYTES + bytesOf(entry));
    }
    this.#resumedAt = total;
  }

  /** Forgets the entries on purpose; ids go on. */
  clear(): void {
    this.#ring.clear();
    this.#cleared = this.#ring.total;
  }
}
