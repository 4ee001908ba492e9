import { Ring } from "../kernel/ring.js";
import type { Account, Holder } from "./memory-budget.js";

/** The newest entries of an endless sequence, at most `limit`, each with what it costs on account of a memory budget. */
export class KeptRing<T> implements Holder {
  readonly #entries: Ring<T>;
  readonly #costs: Ring<number>;
  readonly #account: Account;
  bytes = 0;

  constructor(limit: number, account: Account) {
    this.#entries = new Ring(limit);
    this.#costs = new Ring(limit);
    this.#account = account;
  }

  /** How many entries were ever added. */
  get total(): number {
    return this.#entries.total;
  }

  /** How many entries have been evicted or cleared; the position of the oldest that is left. */
  get first(): number {
    return this.#entries.first;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Adds an entry that costs so many bytes, or a place without one. */
  push(entry: T | undefined, bytes: number): void {
    if (this.bytes === 0) this.#account.holders.add(this);
    this.#entries.push(entry);
    this.#count(bytes - (this.#costs.push(bytes) ?? 0));
  }

  /** Goes on as a ring to which so many entries were added before, and which are gone. */
  skipTo(total: number): void {
    this.clear();
    this.#entries.skipTo(total);
    this.#costs.skipTo(total);
  }

  /** Counts bytes that the entry at a position costs from now on. */
  grow(position: number, bytes: number): void {
    const cost = this.#costs.at(position);
    if (cost === undefined) return;
    this.#costs.replace(position, cost + bytes);
    this.#count(bytes);
  }

  at(position: number): T | undefined {
    return this.#entries.at(position);
  }

  /** The entries from a position on, oldest first. */
  from(position = 0): Generator<T> {
    return this.#entries.from(position);
  }

  shrinkTo(most: number, sparing: boolean): void {
    let gone = 0;
    while (this.bytes - gone > most && this.length > (sparing ? 1 : 0)) {
      this.#entries.shift();
      gone += this.#costs.shift() ?? 0;
    }
    this.#count(-gone);
  }

  /** Forgets the entries; positions go on. */
  clear(): void {
    this.#entries.clear();
    this.#costs.clear();
    this.#count(-this.bytes);
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#account.count(bytes, this);
    if (this.bytes === 0) this.#account.holders.delete(this);
  }
}
