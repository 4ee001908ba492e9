import type { Clock, ClockPosition } from "../kernel/clock.js";
import { fromKeys, isKeyOf, keysOf } from "../kernel/keys.js";
import { mapped } from "../kernel/mapped.js";
import { COLLECTIONS } from "../world/records.js";
import type { Counters } from "../world/state.js";
import type { World } from "../world/world.js";
import type { DurablePart, KeptParts, PartName } from "./durable.js";
import type { Faults } from "./faults.js";
import type { KeptDelivery } from "./pending-delivery.js";
import { PendingDelivery } from "./pending-delivery.js";
import type { RateWindows } from "./rate.js";
import type { Sinks } from "./sinks.js";

/** How many entries each log of a run ever had: ids go on from there. */
export interface LogTotals {
  readonly requests: number;
  readonly deliveries: number;
  readonly controls: number;
  readonly warnings: number;
  readonly received: number;
}

/** The single values of a run, beside its parts with many. */
interface RunValues {
  readonly clock: ClockPosition;
  readonly began: number;
  readonly counters: Counters;
  readonly logs: LogTotals;
  readonly faults: Faults["position"];
}

/** The parts of a run that hold what outlasts the process. */
interface DurableRun {
  readonly world: World;
  readonly clock: Clock;
  readonly began: number;
  readonly logs: { readonly totals: Omit<LogTotals, "received"> };
  readonly sinks: Sinks;
  readonly faults: Faults;
  readonly rates: RateWindows;
  readonly behaviour: { readonly patches: DurablePart };
  readonly deliveries: { readonly pending: DurablePart; readonly failures: DurablePart };
}

const RUN_VALUES: { readonly [K in keyof RunValues]: (run: DurableRun) => RunValues[K] } = {
  clock: ({ clock }) => clock.position(),
  began: ({ began }) => began,
  counters: ({ world }) => world.counters,
  logs: ({ logs, sinks }) => ({ ...logs.totals, received: sinks.total }),
  faults: ({ faults }) => faults.position,
};

/** Everything of a run that outlasts the process. */
export const partsOf = (run: DurableRun): Readonly<Record<PartName, DurablePart>> => ({
  ...fromKeys(COLLECTIONS, (collection) => ({
    keys: () => mapped(run.world.all(collection), ({ id }) => id),
    get: (id: string) => run.world.get(collection, id),
  })),
  run: {
    keys: () => keysOf(RUN_VALUES),
    get: (key) => (isKeyOf(RUN_VALUES, key) ? RUN_VALUES[key](run) : undefined),
  },
  behaviour: run.behaviour.patches,
  faults: run.faults.rules,
  rates: run.rates.windows,
  sinks: run.sinks.settings,
  deliveries: run.deliveries.pending,
  failures: run.deliveries.failures,
});

/** The pending deliveries that were kept, in the order of their acceptance. */
export const keptDeliveries = ({ deliveries = new Map() }: KeptParts): ReadonlyMap<string, PendingDelivery> =>
  new Map([...deliveries].map(([id, kept]) => [id, PendingDelivery.from(kept as KeptDelivery)]));
