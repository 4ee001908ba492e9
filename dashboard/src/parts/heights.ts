/** The heights of a list's items, by key: measured where they were rendered, estimated where not. */
export class Heights {
  readonly #measured = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);

  constructor(readonly estimate: number) {}

  /** Computes where each item starts, one below the other. */
  layOut(keys: readonly string[]): void {
    this.#keys = keys;
    this.#forget();
    this.#offsets = new Float64Array(keys.length + 1);
    let offset = 0;
    for (const [at, key] of keys.entries()) {
      offset += this.#measured.get(key) ?? this.estimate;
      this.#offsets[at + 1] = offset;
    }
  }

  /** Forgets the heights of items that are gone, from time to time. */
  #forget(): void {
    if (this.#measured.size <= 2 * this.#keys.length + 100) return;
    const known = new Set(this.#keys);
    for (const key of this.#measured.keys()) if (!known.has(key)) this.#measured.delete(key);
  }

  /** Keeps a measured height; true when it differs from the one before. */
  measure(key: string, height: number): boolean {
    if (height === 0 || Math.abs((this.#measured.get(key) ?? this.estimate) - height) < 0.5) return false;
    this.#measured.set(key, height);
    return true;
  }

  get total(): number {
    return this.offset(this.#keys.length);
  }

  /** Where the item at an index starts, px from the start of the list. */
  offset(index: number): number {
    return this.#offsets[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  /** The index of an item; -1 where there is none with the key. */
  indexOf(key: string): number {
    return this.#keys.indexOf(key);
  }

  /** The index of the item at an offset; of the first or last where none is there. */
  indexAt(offset: number): number {
    let low = 0;
    let high = Math.max(0, this.#keys.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offset(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
