/** The newest entries of an endless sequence: at most `limit` are kept, the oldest go first. */
export class Ring<T> {
  #items: (T | undefined)[] = [];
  #start = 0;
  #first = 0;

  constructor(readonly limit: number) {}

  /** How many entries were ever added. */
  get total(): number {
    return this.#first + this.length;
  }

  /** How many entries have been evicted or cleared; the position of the oldest that is left. */
  get first(): number {
    return this.#first;
  }

  get length(): number {
    return this.#items.length - this.#start;
  }

  /** Adds an entry, or a place without one, and returns the one that had to go. */
  push(item: T | undefined): T | undefined {
    this.#items.push(item);
    return this.length <= this.limit ? undefined : this.shift();
  }

  /** Evicts the oldest entry and returns it. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const evicted = this.#items[this.#start];
    this.#items[this.#start] = undefined;
    this.#start += 1;
    this.#first += 1;
    if (this.#start > this.limit) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return evicted;
  }

  /** The entry at a position counted from the very first one ever added. */
  at(position: number): T | undefined {
    return this.#items[this.#start + position - this.#first];
  }

  /** Puts another item in place of the one at a position, which must be there. */
  replace(position: number, item: T): void {
    this.#items[this.#start + position - this.#first] = item;
  }

  /** The entries from a position on that are there now, oldest first; without those that are evicted before it is their turn. */
  *from(position = 0): Generator<T> {
    const end = this.total;
    for (let next = Math.max(position, this.#first); next < end; next += 1) {
      const item = this.at(next);
      if (item !== undefined) yield item;
    }
  }

  /** Goes on as a ring to which so many entries were added before, and which are gone. */
  skipTo(total: number): void {
    this.clear();
    this.#first = total;
  }

  /** Forgets the entries; positions go on. */
  clear(): void {
    this.#first = this.total;
    this.#items = [];
    this.#start = 0;
  }
}
