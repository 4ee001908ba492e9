/** The document that a store keeps of a sandbox: its state as a fixture, and under `simulator` what else it needs to go on. */

import type { ValidateFunction } from "ajv";
import { createAjv } from "../kernel/ajv.js";
import { keysOf } from "../kernel/keys.js";
import type { Problem } from "../kernel/problems.js";
import { LAST_WRITABLE } from "../kernel/realtime.js";
import type { Infer } from "../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import { ID_SERIES } from "../protocol/names.js";
import { DELIVERY_FIELDS } from "../sandbox/deliveries.js";
import { faultRuleSchema, faultSchema } from "../sandbox/faults.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import { LOADED_PARTS } from "../sandbox/run-start.js";
import { sinkSettingsSchema } from "../sandbox/sinks.js";
import { snapshotNameSchema } from "../sandbox/snapshots.js";
import { COLLECTIONS } from "../service/world/records.js";
import { formatProblems } from "./format.js";
import { FORMAT } from "./upgrades.js";

/** Counting up from there stays exact for ever. */
const MAX_COUNT = 1e15;

const count = () => integer({ minimum: 0, maximum: MAX_COUNT });
export const instant = () => integer({ minimum: 0, maximum: LAST_WRITABLE });
const countersSchema = object({
  threads: count(),
  messages: count(),
  participations: count(),
  random: nullable(count()),
});
const clockSchema = object({ now: instant(), frozen: boolean() });

const collectionDeltaSchema = object({
  count: optional(count()),
  ids: optional(array(string())),
  records: array(record(unknown())),
});

/** A state, as what differs from the one at the top of the document. */
const stateSchema = object({
  ...(Object.fromEntries(COLLECTIONS.map((name) => [name, optional(collectionDeltaSchema)])) as Record<
    (typeof COLLECTIONS)[number],
    ReturnType<typeof optional<Infer<typeof collectionDeltaSchema>, object>>
  >),
  counters: countersSchema,
});

const START = {
  seed: integer(),
  clock: nullable(instant()),
  ids: oneOf(ID_SERIES),
  behaviour: record(unknown()),
  faults: array(faultSchema),
};
const startSchema = object({
  ...START,
  /** The parts that its creator chose. */
  own: optional(array(oneOf(keysOf(LOADED_PARTS)))),
  state: stateSchema,
});

/** The single values of a run. */
const RUN_VALUES = {
  clock: anyOf([object({ frozenAt: instant() }), object({ aheadMs: number(), at: optional(instant()) })]),
  began: optional(instant()),
  counters: countersSchema,
  logs: object({
    requests: count(),
    deliveries: count(),
    controls: count(),
    warnings: count(),
    received: count(),
  }),
  faults: object({ added: count(), random: count() }),
};

/** A delivery that is to be tried, or tried again. */
const pendingSchema = object({
  delivery: object({
    ...DELIVERY_FIELDS,
    id: string({ pattern: "^d[1-9][0-9]*$" }),
    status: literal("pending"),
  }),
  webhook: record(unknown()),
  attempts: count(),
  extraHeaders: optional(array(record(unknown()))),
  fault: optional(record(unknown())),
});

/** The values of a run beside its records, each part by its keys. */
const VALUES = {
  behaviour: record(unknown()),
  faults: record(faultRuleSchema),
  rates: record(object({ start: integer(), calls: count() })),
  sinks: record(sinkSettingsSchema),
  deliveries: record(pendingSchema),
  failures: record(count()),
};
const valuesSchema = object({ run: optional(object(partial(RUN_VALUES))), ...partial(VALUES) });
/** With none left out. */
export const allValuesSchema = object({
  run: object(RUN_VALUES),
  ...VALUES,
  failures: optional(VALUES.failures),
});

/** What stands under `simulator`. */
const simulatorSchema = object({
  format: literal(FORMAT),
  sandbox: string(SANDBOX_ID),
  expiresAt: nullable(integer()),
  reached: object({ threads: count(), messages: count(), deliveries: optional(count()) }),
  start: startSchema,
  /** What the run began with, where that is not the start. */
  run: nullable(
    object({
      ...START,
      /** Null: that of the start. */
      state: nullable(stateSchema),
    }),
  ),
  /** The durable values of the run, by part and key; its records stand at the top of the document. */
  values: valuesSchema,
  snapshots: array(
    object({
      name: snapshotNameSchema,
      clock: clockSchema,
      began: optional(instant()),
      /** Whether its run began with what the run of now began with. */
      ofThisRun: boolean(),
      state: stateSchema,
    }),
  ),
});
export type SimulatorSection = Infer<typeof simulatorSchema>;
export type StateSection = Infer<typeof stateSchema>;
export type StartSection = Infer<typeof startSchema>;

/** Checks what stands under `simulator`. Its validator is compiled at its first use and kept. */
export class SectionChecker {
  #validate: ValidateFunction | undefined;

  /** What is wrong with a section, before anything is made of it. */
  problemsOf(section: unknown): Problem[] {
    const problems = formatProblems((section as { readonly format?: unknown } | undefined)?.format);
    if (problems.length > 0) return problems;
    this.#validate ??= createAjv().compile(simulatorSchema);
    if (this.#validate(section)) return [];
    return schemaProblems(this.#validate.errors, section, ["simulator"]);
  }
}
