/** The states that a sandbox keeps, and where a run stopped that another one goes on from. */
import type { ClockState } from "../kernel/clock.js";
import type { WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { Delivery } from "./deliveries.js";
import type { KeptParts, Milestone } from "./durable.js";
import type { JournalEntry, KeptControlRecord, Warning } from "./journal.js";
import type { ScenarioRun } from "./observer.js";
import type { RunStart } from "./run-start.js";
import type { KeptCalls } from "./sinks.js";
import type { ThreadChange } from "./threads.js";

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

  /** `start` is what a reset goes back to. */
  constructor(
    public start: RunStart,
    begun: RunStart = start,
  ) {
    this.begun = begun;
    this.world = new World(begun.state);
  }

  /** Another run begins. */
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

/** What a run had beside its world, for one that goes on from there. */
export interface RunPosition {
  readonly parts: KeptParts;
  /** What is left of its logs; left out: the deliveries that are pending. */
  readonly logs?: KeptLogs;
}

/** The entries of logs that another process, or a run that a reset has ended, had. */
export interface KeptLogs {
  readonly requests: readonly JournalEntry[];
  readonly deliveries: readonly Delivery[];
  readonly controls: readonly KeptControlRecord[];
  readonly warnings: readonly Warning[];
  readonly changes: readonly ThreadChange[];
  readonly scenarioRun?: ScenarioRun | undefined;
  /** What each sink has received. */
  readonly received?: KeptCalls;
}
