import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { string } from "../kernel/schema.js";
import type { WorldState } from "../service/world/state.js";
import type { ChangeLog } from "./durable.js";
import type { MemoryBudget } from "./memory.js";

/** A named moment of a sandbox: its state and its clock. */
export interface Snapshot {
  readonly name: string;
  readonly state: WorldState;
  readonly clock: ClockState;
  /** The clock's instant when its sandbox began, ms. */
  readonly began: number;
  /** The state that its run began with, and what of its own state is not from there. */
  readonly start: WorldState;
  readonly ownBytes: number;
  /** The number of the run that it brings back with all that it had, once that has ended. */
  readonly epoch?: number;
}

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });

/** How many names a sandbox keeps. */
export const MAX_SNAPSHOTS = BOUNDS.snapshots.limit;

/**
 * The named snapshots of a sandbox. Each shares all that did not change since, and is counted with what had changed since
 * the start of its run.
 */
export class Snapshots {
  readonly #byName = new Map<string, Snapshot>();
  readonly #memory: MemoryBudget;
  readonly #log: ChangeLog;

  /** `kept` are those of a sandbox that goes on. */
  constructor(memory: MemoryBudget, log: ChangeLog, kept: readonly Snapshot[] = []) {
    this.#memory = memory;
    this.#log = log;
    for (const snapshot of kept) this.#put(snapshot);
  }

  /**
   * Keeps a snapshot under its name, in place of one that has it; false when there are too many already.
   *
   * @throws Refusal where the memory has no room for it, or it cannot be kept
   */
  keep(snapshot: Snapshot): boolean {
    const known = this.#byName.get(snapshot.name);
    if (known === undefined && this.#byName.size >= MAX_SNAPSHOTS) return false;
    this.#memory.checkRoom(snapshot.ownBytes - (known?.ownBytes ?? 0));
    this.#log.check();
    this.#put(snapshot);
    this.#log.milestone(["snapshot", snapshot.name, snapshot.clock]);
    return true;
  }

  #put(snapshot: Snapshot): void {
    const known = this.#byName.get(snapshot.name);
    this.#memory.hold(snapshot.start);
    this.#memory.countWorld(snapshot.ownBytes);
    if (known !== undefined) this.#giveBack(known);
    this.#byName.set(snapshot.name, snapshot);
  }

  get(name: string): Snapshot | undefined {
    return this.#byName.get(name);
  }

  list(): Snapshot[] {
    return [...this.#byName.values()];
  }

  /** True when there was one. @throws Refusal where that cannot be kept */
  remove(name: string): boolean {
    const snapshot = this.#byName.get(name);
    if (snapshot === undefined) return false;
    this.#log.check();
    this.#giveBack(snapshot);
    this.#byName.delete(name);
    this.#log.milestone(["forget", name]);
    return true;
  }

  #giveBack({ ownBytes, start }: Snapshot): void {
    this.#memory.countWorld(-ownBytes);
    this.#memory.release(start);
  }

  /** Forgets them all. */
  close(): void {
    for (const snapshot of this.#byName.values()) this.#giveBack(snapshot);
    this.#byName.clear();
  }
}
