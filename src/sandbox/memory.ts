/** The memory limit for everything that is kept, over all sandboxes (`--memory`). */

import { estimateBytes } from "../kernel/json.js";
import { sizeText } from "../kernel/units.js";
import { Refusal } from "../service/domain/refusals.js";

/** Eviction frees more than one entry's worth, so that it is not needed for each entry. */
const TARGET = 15 / 16;
/** The share for worlds; the rest is for traffic. */
const WORLDS_SHARE = 3 / 4;
/** No call of the simulated API writes more than this: if more is free, its size need not be estimated. */
const NEAR_LIMIT_BYTES = 64 * 1024 * 1024;

interface Shared {
  readonly bytes: number;
}

/** Entries that are evicted to make room for newer ones. */
interface Evictable {
  /** Their estimated size, in bytes. */
  readonly bytes: number;
  /** Evicts the oldest until at most this many bytes are left; `keepNewest`: never the newest. */
  shrinkTo(most: number, keepNewest: boolean): void;
}

/**
 * Counts the bytes of logs and sinks, whose oldest entries are evicted if necessary, and of worlds and settings, which are
 * never evicted and may take three quarters of the budget. What worlds share counts once.
 */
export class MemoryBudget {
  readonly #leases = new Set<MemoryLease>();
  readonly #shared = new Map<Shared, number>();
  #evictableBytes = 0;
  worlds = 0;

  /** `limit` is in bytes. */
  constructor(readonly limit: number) {}

  get used(): number {
    return this.#evictableBytes + this.worlds;
  }

  get worldsLimit(): number {
    return Math.floor(this.limit * WORLDS_SHARE);
  }

  get room(): number {
    return this.worldsLimit - this.worlds;
  }

  /** Whether so little is free that a single call may need more. */
  get nearLimit(): boolean {
    return this.room < NEAR_LIMIT_BYTES;
  }

  /** @throws Refusal if worlds may not grow by this much */
  checkRoom(bytes: number): void {
    if (bytes <= 0 || bytes <= this.room) return;
    const [limit, used, needed] = [this.worldsLimit, this.worlds, bytes].map(sizeText);
    const reason = `worlds use ${used} of the ${limit} of memory allowed, and this needs ${needed} more`;
    throw new Refusal("limits.overloadError", { reason, retryAfter: 5 });
  }

  /** @throws Refusal if worlds may not grow by a state that they do not share yet */
  checkRoomFor(state: Shared): void {
    if (!this.#shared.has(state)) this.checkRoom(state.bytes);
  }

  /** Adds bytes to those of the worlds. @throws Refusal if they do not fit */
  reserve(bytes: number): void {
    this.checkRoom(bytes);
    this.countWorld(bytes);
  }

  /** Counts a state that worlds share, until all of them have released it. */
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

  /** Counts by how much logs have grown or shrunk. The newest entry of the log that has `grown` is never evicted. */
  countLogs(bytes: number, grown?: Evictable): void {
    this.#evictableBytes += bytes;
    if (bytes > 0) this.#evict(grown);
  }

  lease(): MemoryLease {
    return new MemoryLease(this, this.#leases);
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

/** The logs and settings of one run, released as a whole. */
export class MemoryLease {
  readonly #settings = new Map<string, number>();
  readonly logs = new Set<Evictable>();

  constructor(
    private readonly budget: MemoryBudget,
    private readonly open: Set<MemoryLease>,
  ) {
    open.add(this);
  }

  countLog(bytes: number, log: Evictable): void {
    if (!this.open.has(this)) return;
    if (log.bytes > 0) this.logs.add(log);
    else this.logs.delete(log);
    this.budget.countLogs(bytes, log);
  }

  /** Counts a setting in place of the one with that name; undefined removes it. @throws Refusal if it does not fit */
  set(name: string, value: unknown, bytes = estimateBytes(value)): void {
    if (!this.open.has(this)) return;
    this.budget.reserve(bytes - (this.#settings.get(name) ?? 0));
    if (bytes === 0) this.#settings.delete(name);
    else this.#settings.set(name, bytes);
  }

  get settingsBytes(): number {
    return [...this.#settings.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Releases everything; later changes do not count. */
  close(): void {
    if (!this.open.delete(this)) return;
    for (const { bytes } of this.logs) this.budget.countLogs(-bytes);
    this.budget.countWorld(-this.settingsBytes);
  }
}
