import { signal } from "@preact/signals";
import { numberOf } from "../../../src/kernel/entry-ids.js";
import { BoundedMap } from "../lib/bounded-map";

/** How many of the newest entries of a log the page loads and keeps. */
export const MAX_ENTRIES = 2_000;

/** The page's copy of a log of the server: entries in the order of their ids, each replaced when it changes. */
export class LiveLog<T extends { readonly id: string }> {
  readonly #entries = signal<readonly T[]>([]);
  /** When an entry came, in real ms of the page's own clock: whatever the sandbox's clock does, it stays. */
  readonly arrivals = new BoundedMap<number>(MAX_ENTRIES);

  /** All entries, oldest first. A new array whenever it has changed. */
  get entries(): readonly T[] {
    return this.#entries.value;
  }

  get(id: string): T | undefined {
    const entry = this.entries[position(this.entries, id)];
    return entry?.id === id ? entry : undefined;
  }

  /** Replaces all entries; `ageOf` estimates how long ago one that the page has not seen came, in real ms. */
  load(entries: readonly T[], ageOf: (entry: T) => number = () => Number.POSITIVE_INFINITY): void {
    for (const entry of entries)
      if (!this.arrivals.has(entry.id)) this.arrivals.set(entry.id, performance.now() - ageOf(entry));
    this.#entries.value = entries;
  }

  clear(): void {
    this.load([]);
    this.arrivals.clear();
  }

  /** Adds entries; one with a known id replaces the entry that was there. */
  put(entries: readonly T[]): void {
    if (entries.length === 0) return;
    const all = this.#entries.peek().slice();
    for (const entry of entries) {
      const at = position(all, entry.id);
      const known = all[at]?.id === entry.id;
      all.splice(at, known ? 1 : 0, entry);
      if (!known) this.arrivals.set(entry.id, performance.now());
    }
    this.#entries.value = all.slice(-MAX_ENTRIES);
  }
}

/** The index of the entry with the id in ordered entries, or the index at which it belongs. */
function position(entries: readonly { readonly id: string }[], id: string): number {
  const number = numberOf(id);
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && numberOf(entry.id) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
