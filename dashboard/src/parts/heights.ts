/** The heights of a list's items, by key: measured where they were seen, estimated where not. */
export class Heights {
  readonly #known = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);
  #positions: Map<string, number> | null = null;

  constructor(readonly estimate: number) {}

  /** Lays the items out one below the other. */
  lay(keys: readonly string[]): void {
    this.#keys = keys;
    this.#positions = null;
    this.#offsets = new Float64Array(keys.length + 1);
    let offset = 0;
    for (let at = 0; at < keys.length; at += 1) {
      offset += this.#known.get(keys[at] as string) ?? this.estimate;
      this.#offsets[at + 1] = offset;
    }
  }

  /** Notes a height; true when it is another than before. */
  measured(key: string, height: number): boolean {
    if (height === 0 || Math.abs((this.#known.get(key) ?? this.estimate) - height) < 0.5) return false;
    this.#known.set(key, height);
    return true;
  }

  get total(): number {
    return this.#offsets[this.#keys.length] ?? 0;
  }

  offsetOf(index: number): number {
    return this.#offsets[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  indexOf(key: string): number {
    this.#positions ??= new Map(this.#keys.map((other, at) => [other, at]));
    return this.#positions.get(key) ?? -1;
  }

  /** The item that lies at an offset; the first or last where none does. */
  indexAt(offset: number): number {
    let low = 0;
    let high = Math.max(0, this.#keys.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
