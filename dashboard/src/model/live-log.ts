/** How many entries the page keeps; the server's own ring is as long by default. */
const MAX_ENTRIES = 10_000;

/** The page's copy of a log of the server: entries in the order of their ids, each replaced when it changes. */
export class LiveLog<T extends { readonly id: string }> {
  #entries: T[] = [];
  readonly #groups = new Map<string, T[]>();
  /** When an entry was first heard of while the page was watching, in real ms of the page's own clock. */
  readonly arrivals = new Map<string, number>();

  constructor(readonly groupOf: (entry: T) => string | null = () => null) {}

  /** All entries, oldest first. A new array whenever it has changed. */
  get entries(): readonly T[] {
    return this.#entries;
  }

  /** The entries of a group, oldest first. */
  group(name: string): readonly T[] {
    return this.#groups.get(name) ?? [];
  }

  get(id: string): T | undefined {
    const at = this.#positionOf(id);
    return this.#entries[at]?.id === id ? this.#entries[at] : undefined;
  }

  load(entries: readonly T[]): void {
    this.#entries = [...entries];
    this.#groups.clear();
    for (const entry of entries) this.#enlist(entry);
  }

  clear(): void {
    this.load([]);
    this.arrivals.clear();
  }

  /** Puts entries in, those with a known id in place of what was there. True for those that are new. */
  put(entries: readonly T[]): void {
    if (entries.length === 0) return;
    const all = this.#entries.slice(Math.max(0, this.#entries.length + entries.length - MAX_ENTRIES));
    this.#entries = all;
    for (const entry of entries) {
      const at = this.#positionOf(entry.id);
      const known = all[at]?.id === entry.id;
      if (known) all[at] = entry;
      else {
        all.splice(at, 0, entry);
        this.arrivals.set(entry.id, performance.now());
      }
      this.#enlist(entry);
    }
  }

  /** Where the id stands, or would. Ids are a letter and a number that counts up. */
  #positionOf(id: string): number {
    const number = numberOf(id);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numberOf((this.#entries[middle] as T).id) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #enlist(entry: T): void {
    const name = this.groupOf(entry);
    if (name === null) return;
    const group = this.#groups.get(name) ?? [];
    const at = group.findLastIndex((other) => other.id === entry.id);
    this.#groups.set(name, at === -1 ? [...group, entry] : group.with(at, entry));
  }
}

export const numberOf = (id: string): number => Number(id.slice(1));
