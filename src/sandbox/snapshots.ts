import type { ClockState } from "../kernel/clock.js";
import type { WorldState } from "../world/state.js";

/** A named moment of a sandbox: its state and its clock. */
export interface Snapshot {
  readonly name: string;
  readonly state: WorldState;
  readonly clock: ClockState;
}

/** How many names a sandbox keeps. */
export const MAX_SNAPSHOTS = 1_000;

/** The named snapshots of a sandbox. Each shares all that did not change since. */
export class Snapshots {
  readonly #byName = new Map<string, Snapshot>();

  /** Keeps a snapshot under its name, in place of one that has it; false when there are too many already. */
  keep(snapshot: Snapshot): boolean {
    if (!this.#byName.has(snapshot.name) && this.#byName.size >= MAX_SNAPSHOTS) return false;
    this.#byName.set(snapshot.name, snapshot);
    return true;
  }

  get(name: string): Snapshot | undefined {
    return this.#byName.get(name);
  }

  list(): Snapshot[] {
    return [...this.#byName.values()];
  }

  /** True when there was one. */
  remove(name: string): boolean {
    return this.#byName.delete(name);
  }
}
