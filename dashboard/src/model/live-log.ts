import { computed, signal } from "@preact/signals";
import { numberOf } from "../../../src/kernel/objects.js";

/** How many of the newest entries of a log the page loads and keeps. */
export const MAX_ENTRIES = 2_000;

/** The page's copy of a log of the server: entries in the order of their ids, each replaced when it changes. */
export class LiveLog<T extends { readonly id: string }> {
  readonly #entries = signal<readonly T[]>([]);
  readonly #byId = computed(() => new Map(this.#entries.value.map((entry) => [entry.id, entry])));
  #arrivals: Map<string, number> = new Map();

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

  /** When an entry came, in real ms of the page's own clock: whatever the sandbox's clock does, it stays. */
  arrivalOf(id: string): number | undefined {
    return this.#arrivals.get(id);
  }

  /** Replaces all entries; `ageOf` estimates how long ago one that the page has not seen came, in real ms. */
  load(entries: readonly T[], ageOf: (entry: T) => number = () => Number.POSITIVE_INFINITY): void {
    const arrivalOf = (entry: T) => this.#arrivals.get(entry.id) ?? performance.now() - ageOf(entry);
    this.#arrivals = new Map(entries.map((entry) => [entry.id, arrivalOf(entry)]));
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
      if (!known) this.#arrivals.set(entry.id, performance.now());
    }
    for (const { id } of all.splice(0, Math.max(0, all.length - MAX_ENTRIES))) this.#arrivals.delete(id);
    this.#entries.value = all;
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
