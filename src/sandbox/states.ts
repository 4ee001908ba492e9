/** The states that a sandbox keeps: its start, its current state, and named snapshots. */
import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { LimitReached } from "../kernel/problems.js";
import { string } from "../kernel/schema.js";
import type { IdSeries } from "../protocol/names.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { ChangeLog, Milestone } from "./durable.js";
import type { FaultInput } from "./faults.js";
import type { MemoryBudget } from "./memory.js";

export interface RunStart {
  readonly state: WorldState;
  readonly behaviour: Partial<BehaviourValues>;
  readonly seed: number;
  /** The instant at which the clock is frozen, ms; undefined for real time. */
  readonly clock: number | undefined;
  readonly faults: readonly FaultInput[];
  /** `apart`: ids of new threads and messages are unique over all sandboxes and resets. Default: `same`. */
  readonly ids?: IdSeries | undefined;
}

/** The parts of a start that come from files, and the names of their options. */
export const LOADED_PARTS = { state: "fixtures", behaviour: "behaviour", faults: "faults" } as const;
export type LoadedPart = keyof typeof LOADED_PARTS;

export type LoadedStart = Partial<Pick<RunStart, LoadedPart>>;

/** The files that a start is read from, and those of them that have changed. */
export interface StartFiles {
  readonly files: readonly string[];
  readonly changed: ReadonlySet<string>;
}

/** A named snapshot of a sandbox: its state and its clock. */
export interface Snapshot {
  readonly name: string;
  readonly state: WorldState;
  readonly clock: ClockState;
  /** The clock's instant when its sandbox started, ms. */
  readonly began: number;
  /** The state that its run started with, and the difference to its own state. */
  readonly start: WorldState;
  readonly ownBytes: number;
  /** The number of the run that it restores as a whole, once that has ended. */
  readonly epoch?: number;
}

/**
 * The states that a sandbox keeps: its start, its current state, and named snapshots. How a milestone changes them is defined
 * only here: a live sandbox applies it when it happens, and a restart when it reads the log.
 */
export class SandboxStates {
  readonly named = new Map<string, Snapshot>();
  /** The state that the run started with: the start, unless a reset replaced parts of it for one run. */
  begun: RunStart;
  world: World;
  /** The clock's instant when the run started, ms. */
  began: number | undefined;

  constructor(
    public start: RunStart,
    begun: RunStart = start,
  ) {
    this.begun = begun;
    this.world = new World(begun.state);
  }

  begin(begun: RunStart): void {
    this.begun = begun;
    this.world = new World(begun.state);
    this.began = undefined;
  }

  /** `epoch`: the number of the run that a snapshot restores. @throws RangeError if the snapshot does not exist */
  apply(milestone: Milestone, epoch?: number): void {
    if (milestone[0] === "reset") this.begin(this.start);
    else if (milestone[0] === "snapshot") this.#keep(milestone[1], milestone[2], epoch);
    else if (milestone[0] === "restore") this.#restore(milestone[1]);
    else this.named.delete(milestone[1]);
  }

  #keep(name: string, clock: ClockState, epoch: number | undefined): void {
    const { world, begun, began = clock.now } = this;
    const [state, { ownBytes }] = [world.snapshot(), world];
    const moment = { name, clock, began, state, start: begun.state, ownBytes };
    this.named.set(name, epoch === undefined ? moment : { ...moment, epoch });
  }

  #restore(name: string): void {
    const snapshot = this.named.get(name);
    if (snapshot === undefined) throw new RangeError(`there is no snapshot "${name}"`);
    this.world.restore(snapshot.state, this.ownBytesOf(snapshot));
    this.began = snapshot.began;
  }

  /** The difference between a snapshot and the state that the run started with. */
  ownBytesOf({ start, state, ownBytes }: Snapshot): number {
    return start === this.begun.state ? ownBytes : state.bytes;
  }
}

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });

export const MAX_SNAPSHOTS = BOUNDS.snapshots.limit;

/**
 * The named snapshots of a sandbox. Each shares everything that has not changed since, and counts only what had changed since
 * its run started.
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
   * Saves the current state under a name, replacing any snapshot of that name. `epoch`: the number of the run to restore as a whole.
   *
   * @throws LimitReached, and Refusal if it does not fit into memory or cannot be saved
   */
  keep(name: string, clock: ClockState, epoch?: number): Snapshot {
    const { named, world } = this.#states;
    const known = named.get(name);
    if (known === undefined && named.size >= MAX_SNAPSHOTS)
      throw new LimitReached("snapshots", MAX_SNAPSHOTS);
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

  /** True if there was one. @throws Refusal if the change cannot be saved */
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

  close(): void {
    for (const snapshot of this.list()) this.#giveBack(snapshot);
    this.#states.named.clear();
  }
}
