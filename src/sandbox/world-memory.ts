import type { WorldState } from "../world/state.js";
import type { MemoryBudget } from "./memory-budget.js";

/** No call of the simulated API writes more at once: with more room, nobody need ask how much it is. */
const LARGE_BYTES = 64 * 1024 * 1024;

/** What the process's budget counts of a run's world: the start that it shares, and the records that are its own. */
export class WorldMemory {
  readonly #budget: MemoryBudget;
  readonly #start: WorldState;
  /** What the budget has counted of the world's own records. */
  #counted = 0;

  constructor(budget: MemoryBudget, start: WorldState) {
    this.#budget = budget;
    this.#start = start;
    budget.hold(start);
  }

  /** Whether room is so scarce that one call may need more. */
  get scarce(): boolean {
    return this.#budget.room < LARGE_BYTES;
  }

  /** @throws Refusal where there is no room for so many bytes more */
  checkGrowth(bytes: number): void {
    this.#budget.checkRoom(bytes);
  }

  /** @throws Refusal where there is no room for a world with so many bytes of its own */
  checkSize(ownBytes: number): void {
    this.#budget.checkRoom(ownBytes - this.#counted);
  }

  /** Tells the budget how many bytes of the world are its own by now. */
  count(ownBytes: number): void {
    if (ownBytes !== this.#counted) this.#budget.countWorld(ownBytes - this.#counted);
    this.#counted = ownBytes;
  }

  /** Gives back what was counted. */
  close(): void {
    this.#budget.countWorld(-this.#counted);
    this.#budget.release(this.#start);
  }
}
