/** The states that a sandbox keeps: its start, the one of now, and named snapshots. */
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
  /** The instant at which the clock stands, ms; undefined for real time. */
  readonly clock: number | undefined;
  readonly faults: readonly FaultInput[];
  /** `apart`: the ids of new threads and messages are no other sandbox's, and never come twice. Left out: `same`. */
  readonly ids?: IdSeries | undefined;
}

/** The parts of a start that files give, and what their options are called. */
export const LOADED_PARTS = { state: "fixtures", behaviour: "behaviour", faults: "faults" } as const;
export type LoadedPart = keyof typeof LOADED_PARTS;

export type LoadedStart = Partial<Pick<RunStart, LoadedPart>>;

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

/**
 * The states that a sandbox keeps: its start, the one of now, named ones. What a milestone does to them is said here alone: a
 * live sandbox applies it when it happens, and a restart when it reads the log.
 */
export class SandboxStates {
  readonly named = new Map<string, Snapshot>();
  /** What the run began with: the start, unless a reset replaced parts of it for once. */
  begun: RunStart;
  world: World;
  /** The clock's instant when the run began, ms. */
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

  /** `epoch`: the number of the run that a snapshot is to bring back. @throws RangeError for a snapshot that is not there */
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

  /** What of a snapshot is not from the state that the run began with. */
  ownBytesOf({ start, state, ownBytes }: Snapshot): number {
    return start === this.begun.state ? ownBytes : state.bytes;
  }
}

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });

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
   * Keeps the state of now under a name, in place of one that has it. `epoch`: the number of the run that it is to bring back with all that it had.
   *
   * @throws LimitReached, and Refusal where the memory has no room for it, or it cannot be kept
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

  close(): void {
    for (const snapshot of this.list()) this.#giveBack(snapshot);
    this.#states.named.clear();
  }
}
