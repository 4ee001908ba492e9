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
 * The newest entries of an endless sequence, with increasing ids (`r1`, `r2`, …): at most `limit`, and only as many as their
 * bodies may have bytes in total. The newest one is never dropped.
 */
export class Log<T extends Logged> {
  /** By position, which is how many entries had been added before. */
  readonly #slots = new Map<number, Slot<T>>();
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
    this.#slots.set(this.mark, { entry, bytes: 0 });
    this.mark += 1;
    if (this.size > this.limit) this.#dropOldest();
    this.changed(entry, bytes);
    return entry;
  }

  /**
   * Reports that an entry has changed, and its bodies have so many more bytes. A dropped entry is reported too, for the wait for
   * that call; a cleared one is not.
   */
  changed(entry: T, bytes = 0): void {
    const position = numberOf(entry.id) - 1;
    const slot = this.#slots.get(position);
    const isEvicted = position >= this.#cleared && position < this.first;
    if (!isEvicted && slot?.entry !== entry) return;
    if (slot !== undefined) {
      slot.bytes += bytes;
      this.#bytes += bytes;
      while (this.#bytes > BOUNDS.logBytes.limit && this.size > 1) this.#dropOldest();
    }
    this.onChange?.(entry);
  }

  /** The current entries from a position on, oldest first, except those dropped before they are reached. */
  *from(position = 0): Generator<T> {
    const end = this.mark;
    for (let next = Math.max(position, this.first); next < end; next += 1) {
      const slot = this.#slots.get(next);
      if (slot !== undefined) yield slot.entry;
    }
  }

  get(id: string): T | undefined {
    return this.#slots.get(this.positionOf(id))?.entry;
  }

  /** The position of an id; NaN if the id is not of this log. */
  positionOf(id: string): number {
    return id.startsWith(this.prefix) && /^.[1-9]\d*$/.test(id) ? numberOf(id) - 1 : Number.NaN;
  }

  /** How many entries from a position on were dropped, or lost with the process that had them. */
  evictedSince(position: number): number {
    const since = Math.max(position, this.#cleared);
    let gone = Math.max(0, this.first - since);
    for (let at = Math.max(since, this.first); at < this.mark; at += 1) if (!this.#slots.has(at)) gone += 1;
    return gone;
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
    this.#slots.clear();
    this.#bytes = 0;
    this.first = Math.max(oldest, total - this.limit);
    this.mark = total;
    for (const entry of left) {
      const position = numberOf(entry.id) - 1;
      if (position >= this.first) this.#slots.set(position, { entry, bytes: 0 });
    }
  }

  #dropOldest(): void {
    this.#bytes -= this.#slots.get(this.first)?.bytes ?? 0;
    this.#slots.delete(this.first);
    this.first += 1;
  }
}
