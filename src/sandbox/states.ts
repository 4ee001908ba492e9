/** What sandboxes and their runs start from, and the named snapshots that they keep. */
import type { ClockState } from "../kernel/clock.js";
import type { IdSeries } from "../kernel/names.js";
import { string } from "../kernel/schema.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldState } from "../service/world/state.js";
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

/** The parts of a start that come from files. */
export type LoadedStart = Partial<Pick<RunStart, "state" | "behaviour">>;

/** A named snapshot of a sandbox: its state and its clock. */
export interface Snapshot {
  readonly name: string;
  readonly state: WorldState;
  readonly clock: ClockState;
  /** The clock's instant when its run started, ms. */
  readonly began: number;
}

export const snapshotNameSchema = string({ minLength: 1, maxLength: 200 });
