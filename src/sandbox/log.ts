import { estimateBytes } from "../kernel/json.js";
import { numberOf } from "../kernel/objects.js";
import type { MemoryLease } from "./memory.js";

export interface Logged {
  readonly id: string;
}

/** The cost of an entry beyond its texts: its own object and those around it. */
const ENTRY_BYTES = 512;

/** The newest entries of an endless sequence, at most `limit`, each with its share of a memory budget. */
export class KeptRing<T> {
  #entries: (T | undefined)[] = [];
  #costs: number[] = [];
  /** The index of the oldest remaining entry in these lists; what comes before it is cut off now and then. */
  #start = 0;
  /** How many entries have been evicted or cleared, which is also the position of the oldest remaining one. */
  first = 0;
  bytes = 0;

  constructor(
    readonly limit: number,
    private readonly memory: MemoryLease,
  ) {}

  /** The total number of entries ever added, which is the position after the newest. */
  get mark(): number {
    return this.first + this.size;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  /** Adds an entry of this size in bytes, or an empty slot. */
  push(entry: T | undefined, bytes: number): void {
    this.#entries.push(entry);
    this.#costs.push(bytes);
    this.#count(bytes - (this.size > this.limit ? this.#shift() : 0));
  }

  /** Adds to the size in bytes of the entry at a position. */
  grow(position: number, bytes: number): void {
    const at = this.#start + position - this.first;
    const cost = this.#costs[at];
    if (at < this.#start || cost === undefined) return;
    this.#costs[at] = cost + bytes;
    this.#count(bytes);
  }

  /** The entry at a position, counted from the first one ever added. */
  at(position: number): T | undefined {
    return this.#entries[this.#start + position - this.first];
  }

  /** The current entries from a position on, oldest first, except those evicted before they are reached. */
  *from(position = 0): Generator<T> {
    const end = this.mark;
    for (let next = Math.max(position, this.first); next < end; next += 1) {
      const entry = this.at(next);
      if (entry !== undefined) yield entry;
    }
  }

  shrinkTo(most: number, keepNewest: boolean): void {
    let gone = 0;
    while (this.bytes - gone > most && this.size > (keepNewest ? 1 : 0)) gone += this.#shift();
    this.#count(-gone);
  }

  clear(): void {
    this.first = this.mark;
    [this.#entries, this.#costs, this.#start] = [[], [], 0];
    this.#count(-this.bytes);
  }

  #shift(): number {
    const cost = this.#costs[this.#start] as number;
    this.#entries[this.#start] = undefined;
    this.#start += 1;
    this.first += 1;
    if (this.#start > this.limit) {
      this.#entries = this.#entries.slice(this.#start);
      this.#costs = this.#costs.slice(this.#start);
      this.#start = 0;
    }
    return cost;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.memory.countLog(bytes, this);
  }
}

/** A log of entries with increasing ids (`r1`, `r2`, …), whose oldest are evicted: `evictedSince` tells how many. */
export class Log<T extends Logged> extends KeptRing<T> {
  /** How many entries were removed by `clear`. */
  #cleared = 0;

  constructor(
    readonly prefix: string,
    limit: number,
    memory: MemoryLease,
    /** Called for each new or changed entry. */
    readonly onChange?: (entry: T) => void,
    readonly onAdd?: () => void,
  ) {
    super(limit, memory);
  }

  nextId(): string {
    return `${this.prefix}${this.mark + 1}`;
  }

  get newestId(): string | null {
    return this.mark === 0 ? null : `${this.prefix}${this.mark}`;
  }

  add(entry: T, bytes = 0): T {
    this.push(entry, ENTRY_BYTES + bytes);
    this.onAdd?.();
    this.changed(entry);
    return entry;
  }

  /**
   * Reports that an entry has changed and takes so many more bytes. An evicted entry is reported too, for the wait for that call;
   * a cleared one is not.
   */
  changed(entry: T, bytes = 0): void {
    const position = numberOf(entry.id) - 1;
    const isEvicted = position >= this.#cleared && position < this.first;
    if (!isEvicted && this.at(position) !== entry) return;
    if (bytes > 0) this.grow(position, bytes);
    this.onChange?.(entry);
  }

  get(id: string): T | undefined {
    return this.at(this.positionOf(id));
  }

  /** The position of an id; NaN if the id is not of this log. */
  positionOf(id: string): number {
    return id.startsWith(this.prefix) && /^.[1-9]\d*$/.test(id) ? numberOf(id) - 1 : Number.NaN;
  }

  /** The entries at these positions, in order, except those evicted before they are reached. */
  *held(positions: Iterable<number>): Generator<T> {
    for (const position of positions) {
      const entry = this.at(position);
      if (entry !== undefined) yield entry;
    }
  }

  /** How many entries from a position on were evicted, or lost with the process that had them. */
  evictedSince(position: number): number {
    const since = Math.max(position, this.#cleared);
    let gone = Math.max(0, this.first - since);
    for (let at = Math.max(since, this.first); at < this.mark; at += 1)
      if (this.at(at) === undefined) gone += 1;
    return gone;
  }

  /** Call this before the first entry: ids continue after this number, as if that many had been cleared. */
  startAfter(total: number): void {
    this.first = total;
    this.#cleared = total;
  }

  /** Continues the log of a saved sandbox, of which only these entries are left. */
  resume(total: number, left: readonly T[] = []): void {
    const byPosition = new Map(left.map((entry) => [numberOf(entry.id) - 1, entry]));
    const [oldest = total] = byPosition.keys();
    const first = Math.max(oldest, total - this.limit);
    super.clear();
    this.first = first;
    for (let position = first; position < total; position += 1) {
      const entry = byPosition.get(position);
      this.push(entry, entry === undefined ? 0 : ENTRY_BYTES + estimateBytes(entry));
    }
  }

  override clear(): void {
    super.clear();
    this.#cleared = this.mark;
  }
}
