import { Ring } from "../kernel/ring.js";

/** What a log holds: an entry with an id, which may have become large. */
export interface Logged {
  readonly id: string;
  /** The bytes of bodies that the entry keeps, as counted by `weigh`. */
  bytes?: number;
}

/** How many bytes of bodies one log keeps: beyond that the oldest entries go, whatever their number. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * A bounded log of entries with ids that count up (`r1`, `r2`, …). The oldest entries are evicted: a reader that
 * must have seen everything asks `evictedSince`.
 */
export class Log<T extends Logged> {
  readonly #ring: Ring<T>;
  /** How many entries `clear` took away on purpose. */
  #cleared = 0;
  #bytes = 0;

  constructor(
    /** The letter in front of the number of an id. */
    readonly prefix: string,
    limit: number,
    /** Called for each new entry, and for each that has become something else. */
    readonly onChange?: (entry: T) => void,
  ) {
    this.#ring = new Ring(limit);
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

  add(entry: T): T {
    const evicted = this.#ring.push(entry);
    if (evicted !== undefined) this.#left(evicted);
    this.changed(entry);
    return entry;
  }

  /** Counts bytes that an entry keeps from now on. */
  weigh(entry: T, bytes: number): void {
    if (!this.#holds(entry)) return;
    entry.bytes = (entry.bytes ?? 0) + bytes;
    this.#bytes += bytes;
    while (this.#bytes > MAX_BYTES && this.#ring.length > 1) this.#left(this.#ring.shift() as T);
  }

  #left(evicted: T): void {
    this.#bytes -= evicted.bytes ?? 0;
  }

  /** Reports that an entry has changed; one that was evicted is not reported. */
  changed(entry: T): void {
    if (this.onChange !== undefined && this.#holds(entry)) this.onChange(entry);
  }

  #holds(entry: T): boolean {
    return this.#ring.at(Number(entry.id.slice(this.prefix.length)) - 1) === entry;
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

  /** The entries that are left from a position on, oldest first. */
  from(position = 0): Generator<T> {
    return this.#ring.from(position);
  }

  /** How many entries from a position on are gone because newer ones came. */
  evictedSince(position: number): number {
    return Math.max(0, this.#ring.first - Math.max(position, this.#cleared));
  }

  /** Forgets the entries on purpose; ids go on. */
  clear(): void {
    this.#ring.clear();
    this.#bytes = 0;
    this.#cleared = this.#ring.total;
  }
}
