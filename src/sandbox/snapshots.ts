import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { string } from "../kernel/schema.js";
import type { ChangeLog } from "./durable.js";
import type { MemoryBudget } from "./memory.js";
import type { SandboxStates, Snapshot } from "./run-position.js";

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });

/** How many names a sandbox keeps. */
export const MAX_SNAPSHOTS = BOUNDS.snapshots.limit;

/**
 * The named snapshots of a sandbox. Each shares all that did not change since, and is counted with what had changed since
 * the start of its run.
 */
export class Snapshots {
  readonly #states: SandboxStates;
  readonly #memory: MemoryBudget;
  readonly #log: ChangeLog;

  constructor(memory: MemoryBudget, log: ChangeLog, states: SandboxStates) {
    this.#memory = memory;
    this.#log = log;
    this.#states = states;
    for (const snapshot of states.named.values()) this.#count(snapshot);
  }

  /**
   * Keeps the state of now under a name, in place of one that has it; undefined when there are too many already. `epoch`: the
   * number of the run that it is to bring back with all that it had.
   *
   * @throws Refusal where the memory has no room for it, or it cannot be kept
   */
  keep(name: string, clock: ClockState, epoch?: number): Snapshot | undefined {
    const { named, world } = this.#states;
    const known = named.get(name);
    if (known === undefined && named.size >= MAX_SNAPSHOTS) return undefined;
    this.#memory.checkRoom(world.ownBytes - (known?.ownBytes ?? 0));
    this.#log.check();
    const milestone = ["snapshot", name, clock] as const;
    this.#log.milestone(milestone);
    this.#states.apply(milestone, epoch);
    const snapshot = named.get(name) as Snapshot;
    this.#count(snapshot);
    if (known !== undefined) this.#giveBack(known);
    return snapshot;
  }

  #count({ ownBytes, start }: Snapshot): void {
    this.#memory.hold(start);
    this.#memory.countWorld(ownBytes);
  }

  get(name: string): Snapshot | undefined {
    return this.#states.named.get(name);
  }

  list(): Snapshot[] {
    return [...this.#states.named.values()];
  }

  /** True when there was one. @throws Refusal where that cannot be kept */
  remove(name: string): boolean {
    const snapshot = this.get(name);
    if (snapshot === undefined) return false;
    this.#log.check();
    this.#giveBack(snapshot);
    const milestone = ["forget", name] as const;
    this.#log.milestone(milestone);
    this.#states.apply(milestone);
    return true;
  }

  #giveBack({ ownBytes, start }: Snapshot): void {
    this.#memory.countWorld(-ownBytes);
    this.#memory.release(start);
  }

  /** Forgets them all. */
  close(): void {
    for (const snapshot of this.list()) this.#giveBack(snapshot);
    this.#states.named.clear();
  }
}
