import { numberOf } from "../kernel/entry-ids.js";
import { Ring } from "../kernel/ring.js";
import { estimateBytes } from "../kernel/size.js";
import type { MemoryLease } from "./memory.js";

/** What a log holds: an entry with an id. */
export interface Logged {
  readonly id: string;
}

/** What an entry costs beside its texts: its own object and those around it. */
const ENTRY_BYTES = 512;

/** The newest entries of an endless sequence, at most `limit`, each with what it costs of a memory budget. */
export class KeptRing<T> {
  readonly #entries: Ring<T>;
  readonly #costs: Ring<number>;
  readonly #memory: MemoryLease;
  bytes = 0;

  constructor(limit: number, memory: MemoryLease) {
    this.#entries = new Ring(limit);
    this.#costs = new Ring(limit);
    this.#memory = memory;
  }

  /** How many entries were ever added. */
  get total(): number {
    return this.#entries.total;
  }

  /** How many entries have been evicted or cleared; the position of the oldest that is left. */
  get first(): number {
    return this.#entries.first;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Adds an entry that costs so many bytes, or a place without one. */
  push(entry: T | undefined, bytes: number): void {
    this.#entries.push(entry);
    this.#count(bytes - (this.#costs.push(bytes) ?? 0));
  }

  /** Goes on as a ring to which so many entries were added before, and which are gone. */
  skipTo(total: number): void {
    this.clear();
    this.#entries.skipTo(total);
    this.#costs.skipTo(total);
  }

  /** Counts bytes that the entry at a position costs from now on. */
  grow(position: number, bytes: number): void {
    const cost = this.#costs.at(position);
    if (cost === undefined) return;
    this.#costs.replace(position, cost + bytes);
    this.#count(bytes);
  }

  at(position: number): T | undefined {
    return this.#entries.at(position);
  }

  /** The entries from a position on, oldest first. */
  from(position = 0): Generator<T> {
    return this.#entries.from(position);
  }

  shrinkTo(most: number, keepNewest: boolean): void {
    let gone = 0;
    while (this.bytes - gone > most && this.length > (keepNewest ? 1 : 0)) {
      this.#entries.shift();
      gone += this.#costs.shift() ?? 0;
    }
    this.#count(-gone);
  }

  /** Forgets the entries; positions go on. */
  clear(): void {
    this.#entries.clear();
    this.#costs.clear();
    this.#count(-this.bytes);
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#memory.countLog(bytes, this);
  }
}

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
    memory: MemoryLease,
    /** Called for each new entry, and for each that has become something else. */
    readonly onChange?: (entry: T) => void,
    /** Called for each new entry. */
    readonly onAdd?: () => void,
  ) {
    this.#ring = new KeptRing(limit, memory);
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
  resume(total: number, left: readonly T[] = [], bytesOf: (entry: T) => number = estimateBytes): void {
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
