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

  constructor(
    /** The letter in front of the number of an id. */
    readonly prefix: string,
    limit: number,
    account: Account,
    /** Called for each new entry, and for each that has become something else. */
    readonly onChange?: (entry: T) => void,
  ) {
    this.#ring = new KeptRing(limit, account);
  }

  /** The id that the next entry must have. */
  nextId(): string {
    return `${this.prefix}${this.#ring.total + 1}`;
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
    this.changed(entry);
    return entry;
  }

  /** Reports that an entry has changed, and costs so many bytes more; one that was evicted is not reported. */
  changed(entry: T, bytes = 0): void {
    if ((this.onChange === undefined && bytes === 0) || !this.#holds(entry)) return;
    if (bytes > 0) this.#ring.grow(this.#numberOf(entry) - 1, bytes);
    this.onChange?.(entry);
  }

  #holds(entry: T): boolean {
    return this.#ring.at(this.#numberOf(entry) - 1) === entry;
  }

  #numberOf({ id }: T): number {
    return Number(id.slice(this.prefix.length));
  }

  get(id: string): T | undefined {
    return this.#ring.at(this.positionOf(id));
  }

  /** The position of an id; NaN for one that is no id of this log. */
  positionOf(id: string): number {
    return id.startsWith(this.prefix) && /^[1-9]\d*$/.test(id.slice(this.prefix.length))
      ? Number(id.slice(this.prefix.length)) - 1
      : Number.NaN;
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

  /** How many entries from a position on are gone because newer ones came. */
  evictedSince(position: number): number {
    return Math.max(0, this.#ring.first - Math.max(position, this.#cleared));
  }

  /** Forgets the entries on purpose; ids go on. */
  clear(): void {
    this.#ring.clear();
    this.#cleared = this.#ring.total;
  }
}
