import type { WorldState } from "../service/world/state.js";
import type { Delivery } from "./deliveries.js";
import type { KeptParts } from "./durable.js";
import type { JournalEntry, KeptControlRecord, Warning } from "./journal.js";
import type { ScenarioRun } from "./observer.js";
import type { KeptCalls } from "./sinks.js";
import type { ThreadChange } from "./threads.js";

/** Where another process stopped, for a run that goes on from there. */
export interface RunPosition {
  readonly state: WorldState;
  /** What its records cost that are not the start's. */
  readonly ownBytes: number;
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
