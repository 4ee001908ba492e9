import { computed, signal } from "@preact/signals";
import { numberOf } from "../../../src/kernel/objects.js";

/** How many of the newest entries of a log the page loads and keeps. */
export const MAX_ENTRIES = 2_000;

/** The page's copy of a log of the server: entries in the order of their ids, each replaced when it changes. */
export class LiveLog<T extends { readonly id: string }> {
  readonly #entries = signal<readonly T[]>([]);
  readonly #byId = computed(() => new Map(this.#entries.value.map((entry) => [entry.id, entry])));

  /** All entries, oldest first. A new array whenever it has changed. */
  get entries(): readonly T[] {
    return this.#entries.value;
  }

  /** Whether there were entries before those that the page keeps. */
  get isCut(): boolean {
    const [first] = this.entries;
    return this.entries.length === MAX_ENTRIES && first !== undefined && numberOf(first.id) > 1;
  }

  get(id: string): T | undefined {
    return this.#byId.value.get(id);
  }

  /** Replaces all entries. */
  load(entries: readonly T[]): void {
    this.#entries.value = entries;
  }

  clear(): void {
    this.load([]);
  }

  /** Adds entries; one with a known id replaces the entry that was there. */
  put(entries: readonly T[]): void {
    if (entries.length === 0) return;
    const all = this.#entries.peek().slice();
    for (const entry of entries) {
      const at = position(all, entry.id);
      const known = all[at]?.id === entry.id;
      all.splice(at, known ? 1 : 0, entry);
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
