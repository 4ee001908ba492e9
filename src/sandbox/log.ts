import { BOUNDS } from "../kernel/bounds.js";
import { numberOf } from "../kernel/objects.js";

export interface Logged {
  readonly id: string;
}

/** An entry that is kept as text, which takes far less memory than its values. */
export class TextEntry<T extends Logged> implements Logged {
  readonly id: string;
  readonly #text: string;

  constructor(entry: T) {
    this.id = entry.id;
    this.#text = JSON.stringify(entry);
  }

  get bytes(): number {
    return Buffer.byteLength(this.#text);
  }

  toJSON(): T {
    return JSON.parse(this.#text) as T;
  }
}

/**
 * The newest entries of an endless sequence, with increasing ids (`r1`, `r2`, …): at most `limit`, and only as many as their
 * bodies may have bytes in total. The newest one is never dropped.
 */
export class Log<T extends Logged> {
  /** A ring: the entry whose position is `p`, as many as had been added before, is at `p % limit`. */
  #ring: (T | undefined)[] = [];
  /** In the same order: how many bytes the bodies of each entry have. */
  #sizes: number[] = [];
  /** The position of the oldest remaining entry. */
  first = 0;
  /** The position after the newest entry: how many were ever added. */
  mark = 0;
  #bytes = 0;
  /** How many entries were removed by `clear`. */
  #cleared = 0;

  constructor(
    readonly prefix: string,
    readonly limit: number,
    /** Called for each new or changed entry. */
    readonly onChange?: (entry: T) => void,
  ) {}

  get size(): number {
    return this.mark - this.first;
  }

  nextId(): string {
    return `${this.prefix}${this.mark + 1}`;
  }

  get newestId(): string | null {
    return this.mark === 0 ? null : `${this.prefix}${this.mark}`;
  }

  /** Adds an entry, whose bodies have so many bytes. */
  add(entry: T, bytes = 0): T {
    if (this.size === this.limit) this.#dropOldest();
    this.#put(this.mark, entry);
    this.mark += 1;
    this.changed(entry, bytes);
    return entry;
  }

  /**
   * Reports that an entry has changed, and its bodies have so many more bytes. A dropped entry is reported too, for the wait for
   * that call; a cleared one is not.
   */
  changed(entry: T, bytes = 0): void {
    const position = numberOf(entry.id) - 1;
    const isEvicted = position >= this.#cleared && position < this.first;
    if (!isEvicted) {
      if (this.#at(position) !== entry) return;
      (this.#sizes[position % this.limit] as number) += bytes;
      this.#bytes += bytes;
      while (this.#bytes > BOUNDS.logBytes.limit && this.size > 1) this.#dropOldest();
    }
    this.onChange?.(entry);
  }

  /** The current entries from a position on, oldest first, except those dropped before they are reached. */
  *from(position = 0): Generator<T> {
    const end = this.mark;
    for (let next = Math.max(position, this.first); next < end; next += 1) {
      const entry = this.#at(next);
      if (entry !== undefined) yield entry;
    }
  }

  get(id: string): T | undefined {
    return this.#at(this.positionOf(id));
  }

  /** The position of an id; NaN if the id is not of this log. */
  positionOf(id: string): number {
    return id.startsWith(this.prefix) && /^.[1-9]\d*$/.test(id) ? numberOf(id) - 1 : Number.NaN;
  }

  /** How many entries from a position on were dropped, or lost with the process that had them. */
  evictedSince(position: number): number {
    const since = Math.max(position, this.#cleared);
    return Math.max(0, this.mark - since - [...this.from(since)].length);
  }

  clear(): void {
    this.startAfter(this.mark);
  }

  /** Drops all entries: ids continue after this number, as if that many had been cleared. */
  startAfter(total: number): void {
    this.resume(total);
    this.#cleared = total;
  }

  /** Continues the log of a saved sandbox, of which only these entries are left, oldest first. */
  resume(total: number, left: readonly T[] = []): void {
    const oldest = left[0] === undefined ? total : numberOf(left[0].id) - 1;
    this.#ring = [];
    this.#sizes = [];
    this.#bytes = 0;
    this.first = Math.max(oldest, total - this.limit);
    this.mark = total;
    for (const entry of left) {
      const position = numberOf(entry.id) - 1;
      if (position >= this.first) this.#put(position, entry);
    }
  }

  #at(position: number): T | undefined {
    return position >= this.first && position < this.mark ? this.#ring[position % this.limit] : undefined;
  }

  #put(position: number, entry: T): void {
    this.#ring[position % this.limit] = entry;
    this.#sizes[position % this.limit] = 0;
  }

  #dropOldest(): void {
    const at = this.first % this.limit;
    this.#bytes -= this.#sizes[at] ?? 0;
    this.#ring[at] = undefined;
    this.first += 1;
  }
}
