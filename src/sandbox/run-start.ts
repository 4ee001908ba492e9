import type { IdSeries } from "../protocol/names.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldState } from "../service/world/state.js";
import type { FaultInput } from "./faults.js";

/** What a run begins with. */
export interface RunStart {
  readonly state: WorldState;
  readonly behaviour: Partial<BehaviourValues>;
  readonly seed: number;
  /** The instant at which the clock stands, ms; undefined for real time. */
  readonly clock: number | undefined;
  /** Faults that are in force from the start. */
  readonly faults: readonly FaultInput[];
  /** `apart`: the ids of new threads and messages are no other sandbox's, and never come twice. Left out: `same`. */
  readonly ids?: IdSeries | undefined;
}

/** The parts of a start that files give, and what their options are called. */
export const LOADED_PARTS = { state: "fixtures", behaviour: "behaviour", faults: "faults" } as const;
export type LoadedPart = keyof typeof LOADED_PARTS;

/** Parts of a start that are to take the place of others. */
export type LoadedStart = Partial<Pick<RunStart, LoadedPart>>;
