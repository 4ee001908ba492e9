/** The memory that everything kept may take together, over all sandboxes (`--memory`). */

import { estimateBytes, sizeText } from "../kernel/size.js";
import { Refusal } from "../service/domain/refusals.js";

/** When a call that finds no room may come again, seconds: somebody must make room first. */
const RETRY_AFTER_S = 5;
/** Eviction makes room for more than one entry, so that it is not needed for each. */
const TARGET = 15 / 16;
/** The share that worlds may have: the rest is for what they are asked and tell. */
const WORLDS_SHARE = 3 / 4;
/** No call of the simulated API writes more at once: with more room, nobody need ask how much it is. */
const NEAR_LIMIT_BYTES = 64 * 1024 * 1024;

interface Shared {
  readonly bytes: number;
}

/** Entries that go when there is no room for newer ones. */
interface Evictable {
  /** What they cost, estimated in bytes. */
  readonly bytes: number;
  /** Evicts the oldest until at most so many bytes are left; `keepNewest`: the newest stays in any case. */
  shrinkTo(most: number, keepNewest: boolean): void;
}

/**
 * Counts the bytes of logs and sinks, whose oldest entries go where there is no room, and of worlds and settings, which are
 * never evicted and may have three quarters of the budget. What worlds share counts once.
 *
 * @example
 * const budget = new MemoryBudget(512 * 1024 * 1024);
 * const log = new Log<JournalEntry>("r", 10_000, budget.lease());
 */
export class MemoryBudget {
  readonly #leases = new Set<MemoryLease>();
  readonly #shared = new Map<Shared, number>();
  #evictableBytes = 0;
  worlds = 0;

  constructor(
    /** In bytes. */
    readonly limit: number,
  ) {}

  get used(): number {
    return this.#evictableBytes + this.worlds;
  }

  get worldsLimit(): number {
    return Math.floor(this.limit * WORLDS_SHARE);
  }

  get room(): number {
    return this.worldsLimit - this.worlds;
  }

  /** Whether there is so little room that one call may need more. */
  get nearLimit(): boolean {
    return this.room < NEAR_LIMIT_BYTES;
  }

  /** @throws Refusal where worlds may not grow by so much */
  checkRoom(bytes: number): void {
    if (bytes <= 0 || bytes <= this.room) return;
    const [limit, used, needed] = [this.worldsLimit, this.worlds, bytes].map(sizeText);
    const reason = `worlds use ${used} of the ${limit} of memory allowed, and this needs ${needed} more`;
    throw new Refusal("limits.overloadError", { reason, retryAfter: RETRY_AFTER_S });
  }

  /** @throws Refusal where worlds may not grow by a state that they do not have yet */
  checkRoomFor(state: Shared): void {
    if (!this.#shared.has(state)) this.checkRoom(state.bytes);
  }

  /** Counts so many bytes with the worlds. @throws Refusal where there is no room for them */
  reserve(bytes: number): void {
    this.checkRoom(bytes);
    this.countWorld(bytes);
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

  countWorld(bytes: number): void {
    this.worlds += bytes;
    if (bytes > 0) this.#evict(undefined);
  }

  /** Counts what logs cost more, or less, than before. The newest entry of the one that has `grown` stays, whatever it costs. */
  countLogs(bytes: number, grown?: Evictable): void {
    this.#evictableBytes += bytes;
    if (bytes > 0) this.#evict(grown);
  }

  /** What one run is to have of it. `start` is the state that it begins with. */
  lease(start: Shared = { bytes: 0 }): MemoryLease {
    const lease: MemoryLease = new MemoryLease(this, start, () => this.#leases.delete(lease));
    this.#leases.add(lease);
    return lease;
  }

  #evict(grown: Evictable | undefined): void {
    if (this.used <= this.limit) return;
    const target = this.limit * TARGET;
    for (let before = Number.POSITIVE_INFINITY; this.used > target && this.used < before; ) {
      before = this.used;
      const logs = [...this.#leases].flatMap(({ logs }) => [...logs]);
      for (const log of logs.sort((a, b) => b.bytes - a.bytes)) {
        if (this.used <= target) return;
        log.shrinkTo(Math.max(log.bytes / 2, log.bytes - (this.used - target)), log === grown);
      }
    }
  }
}

/** What one run has of the budget, to be given back as a whole. */
export class MemoryLease {
  readonly #settings = new Map<string, number>();
  readonly logs = new Set<Evictable>();
  #world = 0;
  #isClosed = false;

  constructor(
    private readonly budget: MemoryBudget,
    private readonly start: Shared,
    private readonly onClose: () => void,
  ) {
    budget.hold(start);
  }

  countLog(bytes: number, log: Evictable): void {
    if (this.#isClosed) return;
    if (log.bytes > 0) this.logs.add(log);
    else this.logs.delete(log);
    this.budget.countLogs(bytes, log);
  }

  checkWorld(ownBytes: number): void {
    this.budget.checkRoom(ownBytes - this.#world);
  }

  setWorld(ownBytes: number): void {
    if (this.#isClosed || ownBytes === this.#world) return;
    this.budget.countWorld(ownBytes - this.#world);
    this.#world = ownBytes;
  }

  /**
   * Counts a setting in place of the one with that name; undefined where there is none any more.
   *
   * @throws Refusal where there is no room for it
   */
  set(name: string, value: unknown): void {
    const bytes = estimateBytes(value);
    if (this.#isClosed) return;
    this.budget.reserve(bytes - (this.#settings.get(name) ?? 0));
    if (bytes === 0) this.#settings.delete(name);
    else this.#settings.set(name, bytes);
  }

  /** Gives everything back: what is reported afterwards does not count. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { bytes } of this.logs) this.budget.countLogs(-bytes);
    for (const bytes of this.#settings.values()) this.budget.countWorld(-bytes);
    this.budget.countWorld(-this.#world);
    this.budget.release(this.start);
    this.onClose();
  }
}
