/** What a heap orders: by `due`, then by `order`. */
export interface HeapEntry {
  readonly due: number;
  readonly order: number;
  /** Where the entry stands in its heap; kept by the heap. */
  slot: number;
}

const goesBefore = (a: HeapEntry, b: HeapEntry): boolean =>
  a.due < b.due || (a.due === b.due && a.order < b.order);

/** A binary heap whose entries know their slot, so that any of them can be taken out as cheaply as it was put in. */
export class TimerHeap<E extends HeapEntry> {
  #entries: E[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The entry that comes first. */
  first(): E | undefined {
    return this.#entries[0];
  }

  add(entry: E): void {
    this.#rise(entry, this.#entries.length);
  }

  /** Takes an entry out, if it is in here. */
  remove(entry: E): void {
    const { slot } = entry;
    if (this.#entries[slot] !== entry) return;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#sink(last, slot);
    if (last.slot === slot) this.#rise(last, slot);
  }

  clear(): void {
    this.#entries = [];
  }

  #rise(entry: E, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = this.#entries[(slot - 1) >>> 1];
      if (parent === undefined || !goesBefore(entry, parent)) break;
      this.#put(parent, slot);
      slot = (slot - 1) >>> 1;
    }
    this.#put(entry, slot);
  }

  #sink(entry: E, from: number): void {
    let slot = from;
    for (;;) {
      const left = this.#entries[2 * slot + 1];
      const right = this.#entries[2 * slot + 2];
      if (left === undefined) break;
      const child = right !== undefined && goesBefore(right, left) ? right : left;
      if (!goesBefore(child, entry)) break;
      const below = child.slot;
      this.#put(child, slot);
      slot = below;
    }
    this.#put(entry, slot);
  }

  #put(entry: E, slot: number): void {
    this.#entries[slot] = entry;
    entry.slot = slot;
  }
}
