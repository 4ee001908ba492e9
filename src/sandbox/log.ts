import { BOUNDS } from "../kernel/bounds.js";
import { numberOf } from "../kernel/objects.js";

export interface Logged {
  readonly id: string;
}

/** An entry, and how many bytes its bodies have. */
interface Slot<T> {
  readonly entry: T;
  bytes: number;
}

/**
 * The newest entries of an endless sequence: at most `limit`, and only as many as their bodies may have bytes in total. The
 * newest one is never dropped.
 */
export class KeptRing<T> {
  /** By position, which is how many entries had been added before. */
  readonly #slots = new Map<number, Slot<T>>();
  /** The position of the oldest remaining entry. */
  first = 0;
  /** The position after the newest entry: how many were ever added. */
  mark = 0;
  #bytes = 0;

  constructor(readonly limit: number) {}

  get size(): number {
    return this.mark - this.first;
  }

  /** Adds an entry, whose bodies have so many bytes. */
  push(entry: T, bytes = 0): void {
    this.#slots.set(this.mark, { entry, bytes: 0 });
    this.mark += 1;
    if (this.size > this.limit) this.#dropOldest();
    this.grow(this.mark - 1, bytes);
  }

  /** Adds to the bytes of the entry at a position. */
  grow(position: number, bytes: number): void {
    const slot = this.#slots.get(position);
    if (slot === undefined) return;
    slot.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > BOUNDS.logBytes.limit && this.size > 1) this.#dropOldest();
  }

  /** The entry at a position, counted from the first one ever added. */
  at(position: number): T | undefined {
    return this.#slots.get(position)?.entry;
  }

  /** The current entries from a position on, oldest first, except those dropped before they are reached. */
  *from(position = 0): Generator<T> {
    const end = this.mark;
    for (let next = Math.max(position, this.first); next < end; next += 1) {
      const entry = this.at(next);
      if (entry !== undefined) yield entry;
    }
  }

  clear(): void {
    this.startAt(this.mark);
  }

  /** Drops all entries, and goes on with this position. */
  protected startAt(position: number): void {
    this.#slots.clear();
    this.#bytes = 0;
    this.first = position;
    this.mark = position;
  }

  #dropOldest(): void {
    this.#bytes -= this.#slots.get(this.first)?.bytes ?? 0;
    this.#slots.delete(this.first);
    this.first += 1;
  }
}

/** A log of entries with increasing ids (`r1`, `r2`, …), whose oldest are dropped: `evictedSince` tells how many. */
export class Log<T extends Logged> extends KeptRing<T> {
  /** How many entries were removed by `clear`. */
  #cleared = 0;

  constructor(
    readonly prefix: string,
    limit: number,
    /** Called for each new or changed entry. */
    readonly onChange?: (entry: T) => void,
  ) {
    super(limit);
  }

  nextId(): string {
    return `${this.prefix}${this.mark + 1}`;
  }

  get newestId(): string | null {
    return this.mark === 0 ? null : `${this.prefix}${this.mark}`;
  }

  /** Adds an entry, whose bodies have so many bytes. */
  add(entry: T, bytes = 0): T {
    this.push(entry, bytes);
    this.changed(entry);
    return entry;
  }

  /**
   * Reports that an entry has changed, and its bodies have so many more bytes. A dropped entry is reported too, for the wait for
   * that call; a cleared one is not.
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

  /** How many entries from a position on were dropped, or lost with the process that had them. */
  evictedSince(position: number): number {
    const since = Math.max(position, this.#cleared);
    let gone = Math.max(0, this.first - since);
    for (let at = Math.max(since, this.first); at < this.mark; at += 1)
      if (this.at(at) === undefined) gone += 1;
    return gone;
  }

  /** Call this before the first entry: ids continue after this number, as if that many had been cleared. */
  startAfter(total: number): void {
    this.startAt(total);
    this.#cleared = total;
  }

  /** Continues the log of a saved sandbox, of which only these entries are left, oldest first. */
  resume(total: number, left: readonly T[] = []): void {
    const oldest = left[0] === undefined ? total : numberOf(left[0].id) - 1;
    this.startAt(Math.max(oldest, total - this.limit));
    for (const entry of left) {
      this.mark = numberOf(entry.id) - 1;
      if (this.mark >= this.first) this.push(entry);
    }
    this.mark = total;
  }

  override clear(): void {
    super.clear();
    this.#cleared = this.mark;
  }
}
