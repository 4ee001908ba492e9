/** The states that a sandbox keeps: its start, its current state, and named snapshots. */
import type { ClockState } from "../kernel/clock.js";
import { string } from "../kernel/schema.js";
import type { IdSeries } from "../protocol/names.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { Milestone } from "./durable.js";
import type { FaultInput } from "./faults.js";

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
}

/** How a milestone changes these states is defined only here: a live sandbox applies it when it happens, and a restart when it reads the log. */
export class SandboxStates {
  readonly named = new Map<string, Snapshot>();
  /** The state that the run started with: the start, unless a reset replaced parts of it for one run. */
  begun: RunStart;
  world: World;
  /** The clock's instant when the run started, ms. */
  began: number | undefined;

  constructor(public start: RunStart) {
    this.begun = start;
    this.world = new World(start.state);
  }

  begin(begun: RunStart): void {
    this.begun = begun;
    this.world = new World(begun.state);
    this.began = undefined;
  }

  /** @throws RangeError if the snapshot does not exist */
  apply(milestone: Milestone): void {
    const [what, name, clock] = milestone;
    if (what === "reset") return this.begin(this.start);
    if (what === "forget") return void this.named.delete(name);
    const { world, begun, named } = this;
    if (what === "snapshot") {
      const { ownBytes } = world;
      const began = this.began ?? clock.now;
      named.set(name, { name, clock, began, state: world.snapshot(), start: begun.state, ownBytes });
      return;
    }
    const snapshot = named.get(name);
    if (snapshot === undefined) throw new RangeError(`there is no snapshot "${name}"`);
    world.restore(snapshot.state, this.ownBytesOf(snapshot));
    this.began = snapshot.began;
  }

  /** The difference between a snapshot and the state that the run started with. */
  ownBytesOf({ start, state, ownBytes }: Snapshot): number {
    return start === this.begun.state ? ownBytes : state.bytes;
  }
}

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });
