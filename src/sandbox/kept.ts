/** What a document holds of a sandbox and its run, beside their starts: everything that outlasts the process. */

import type { ClockPosition } from "../kernel/clock.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldState } from "../service/world/state.js";
import type { KeptDeliveries } from "./deliveries.js";
import type { KeptFaults } from "./faults.js";
import type { IdCounters } from "./ids.js";
import type { RateWindow } from "./rates.js";
import type { LogTotals } from "./run-logs.js";
import type { SinkSettings } from "./sinks.js";
import type { RunStart, Snapshot } from "./states.js";

export interface KeptRun {
  readonly state: WorldState;
  readonly clock: ClockPosition;
  readonly began: number;
  readonly behaviour: Partial<BehaviourValues>;
  readonly faults: KeptFaults;
  readonly rates: Readonly<Record<string, RateWindow>>;
  readonly sinks: Readonly<Record<string, SinkSettings>>;
  readonly deliveries: KeptDeliveries;
  readonly logs: LogTotals;
}

export interface KeptSandbox {
  readonly run: KeptRun;
  /** The parts that its last reset replaced for one run. */
  readonly over: Partial<RunStart>;
  readonly snapshots: readonly Snapshot[];
  readonly reached?: IdCounters | undefined;
}
