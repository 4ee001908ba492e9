import { Refusal } from "../domain/refusal.js";
import { costOf } from "../kernel/cost.js";
import { sizeText } from "../kernel/size.js";

/** When a call that finds no room may come again, seconds: somebody must make room first. */
const RETRY_AFTER_S = 5;

/** Who keeps entries on account of a budget. */
export interface Holder {
  /** What it keeps, estimated in bytes. */
  readonly bytes: number;
  /** Lets the oldest entries go until at most so many bytes are left; `sparing` keeps the newest entry in any case. */
  shrinkTo(most: number, sparing: boolean): void;
}

/** Eviction makes room for more than one entry, so that it is not needed for each. */
const TARGET = 15 / 16;

/** The share that worlds may have: the rest is for what they are asked and tell. */
const WORLDS_SHARE = 3 / 4;

/** Something that worlds share, and what it costs. */
interface Shared {
  readonly bytes: number;
}

/**
 * The memory that everything kept may take together, over all sandboxes: journals, delivery logs, recorded control
 * calls, warnings, what sinks received, worlds. Beyond it the oldest entries of the largest holder go first; worlds are never
 * evicted, and may have three quarters of it. What worlds share counts once.
 *
 * @example
 * const budget = new MemoryBudget(512 * 1024 * 1024);
 * const account = budget.open();
 * const log = new Log<JournalEntry>("r", 10_000, account);
 */
export class MemoryBudget {
  readonly #accounts = new Set<Account>();
  readonly #shared = new Map<Shared, number>();
  #kept = 0;
  #worlds = 0;

  constructor(
    /** In bytes. */
    readonly limit: number,
  ) {}

  /** What everything kept costs now, estimated in bytes. */
  get used(): number {
    return this.#kept + this.#worlds;
  }

  /** What worlds cost now, estimated in bytes. */
  get worlds(): number {
    return this.#worlds;
  }

  /** What worlds may cost at most. */
  get worldsLimit(): number {
    return Math.floor(this.limit * WORLDS_SHARE);
  }

  /** How much worlds may grow. */
  get room(): number {
    return this.worldsLimit - this.#worlds;
  }

  /** @throws Refusal where worlds may not grow by so much */
  checkRoom(bytes: number): void {
    if (bytes <= 0 || bytes <= this.room) return;
    const [limit, used, needed] = [this.worldsLimit, this.#worlds, bytes].map(sizeText);
    const reason = `worlds may take ${limit} of memory and take ${used}, and this needs ${needed} more`;
    throw new Refusal("limits.overloadError", { reason, retryAfter: RETRY_AFTER_S });
  }

  /** @throws Refusal where worlds may not grow by a state that they do not have yet */
  checkRoomFor(state: Shared): void {
    if (!this.#shared.has(state)) this.checkRoom(state.bytes);
  }

  /** Counts a state that worlds share, until as many have let it go as have held it. */
  hold(state: Shared): void {
    const holders = this.#shared.get(state) ?? 0;
    this.#shared.set(state, holders + 1);
    if (holders === 0) this.countWorld(state.bytes);
  }

  release(state: Shared): void {
    const holders = this.#shared.get(state) ?? 0;
    if (holders > 1) this.#shared.set(state, holders - 1);
    else if (this.#shared.delete(state)) this.countWorld(-state.bytes);
  }

  /** Counts what a world costs more, or less, than before. */
  countWorld(bytes: number): void {
    this.#worlds += bytes;
    if (bytes > 0 && this.used > this.limit) this.#makeRoom(undefined);
  }

  /** An account for holders that end together. */
  open(): Account {
    const account: Account = new Account({
      changed: (bytes, holder) => this.#changed(bytes, holder),
      settle: (bytes) => {
        this.checkRoom(bytes);
        this.countWorld(bytes);
      },
      close: (bytes, settled) => {
        this.#accounts.delete(account);
        this.#kept -= bytes;
        this.#worlds -= settled;
      },
    });
    this.#accounts.add(account);
    return account;
  }

  #changed(bytes: number, holder: Holder): void {
    this.#kept += bytes;
    if (bytes > 0 && this.used > this.limit) this.#makeRoom(holder);
  }

  #makeRoom(grown: Holder | undefined): void {
    const target = Math.max(0, this.limit * TARGET - this.#worlds);
    const holders = [...this.#accounts].flatMap(({ holders }) => [...holders]);
    shrinkLargest(holders, target, grown);
  }
}

/** What an account tells its budget. */
interface AccountListener {
  changed(bytes: number, holder: Holder): void;
  /** Something that is never evicted. @throws Refusal where there is no room for it */
  settle(bytes: number): void;
  /** With all that is given back. */
  close(bytes: number, settled: number): void;
}

/** What the holders of one run keep. */
export class Account {
  readonly holders = new Set<Holder>();
  readonly #listener: AccountListener;
  /** What settings cost, by name; nothing while there are none. */
  #settings: Map<string, number> | undefined;
  #settled = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(listener: AccountListener) {
    this.#listener = listener;
  }

  /** Counts what a holder keeps more, or less, than before. */
  count(bytes: number, holder: Holder): void {
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#listener.changed(bytes, holder);
  }

  /**
   * Counts a setting, which is never evicted, in place of the one with that name; undefined where there is none any more.
   *
   * @throws Refusal where there is no room for it
   */
  set(name: string, value: unknown): void {
    const known = this.#settings?.get(name) ?? 0;
    const bytes = costOf(value);
    if (this.#isClosed || bytes === known) return;
    this.#listener.settle(bytes - known);
    this.#settled += bytes - known;
    this.#settings ??= new Map();
    if (bytes === 0) this.#settings.delete(name);
    else this.#settings.set(name, bytes);
  }

  /** Gives everything back: what holders report afterwards does not count. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.close(this.#bytes, this.#settled);
    this.holders.clear();
  }
}

/** Shrinks the largest holders, to the same size, until all have at most so many bytes; the newest entry of `grown` stays. */
function shrinkLargest(holders: readonly Holder[], most: number, grown: Holder | undefined): void {
  const smallestFirst = holders.filter(({ bytes }) => bytes > 0).sort((a, b) => a.bytes - b.bytes);
  const level = levelFor(smallestFirst, most);
  let total = smallestFirst.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const holder of smallestFirst.reverse()) {
    if (total <= most || holder.bytes <= level) break;
    total -= holder.bytes;
    holder.shrinkTo(Math.max(level, most - total), holder === grown);
    total += holder.bytes;
  }
  if (total <= most || grown === undefined) return;
  const others = holders.filter((holder) => holder !== grown);
  shrinkLargest(others, most - grown.bytes, undefined);
}

/** The size to which the largest holders must come down for all to fit. */
function levelFor(smallestFirst: readonly Holder[], most: number): number {
  let left = most;
  for (const [at, { bytes }] of smallestFirst.entries()) {
    const share = left / (smallestFirst.length - at);
    if (bytes > share) return Math.max(0, share);
    left -= bytes;
  }
  return Number.POSITIVE_INFINITY;
}
