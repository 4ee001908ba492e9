import { valueAt } from "../kernel/json.js";
import { fromKeys, keysOf } from "../kernel/objects.js";
import { lazily } from "../kernel/packages.js";
import { type Problem, problemAt, UnusableDocument } from "../kernel/problems.js";
import type { InferReadonly, Schema } from "../kernel/schema.js";
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
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { ID_SERIES } from "../protocol/names.js";
import { DELIVERY_FIELDS } from "../sandbox/deliveries.js";
import { faultRuleSchema, faultSchema } from "../sandbox/faults.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import { sinkSettingsSchema } from "../sandbox/sinks.js";
import { LOADED_PARTS, snapshotNameSchema } from "../sandbox/states.js";
import { COLLECTIONS, instant } from "../service/world/records.js";

/**
 * The format of written documents. It is incremented when a change would be misread by older readers, and when the default of
 * a record's field changes: documents omit defaults.
 */
export const FORMAT = 3;

/** The problem of a base document in a format that this version does not read. */
export function formatProblems(base: unknown): Problem[] {
  const format = valueAt(base, ["simulator", "format"]);
  if (!Number.isInteger(format) || format === FORMAT) return [];
  const writer = Number(format) > FORMAT ? "a newer messaging-sim" : "a version that was never released";
  const message = `is ${format}, written by ${writer}: this one reads format ${FORMAT}. Use that version, or another folder`;
  return [problemAt(["simulator", "format"], message)];
}

/** @throws UnusableDocument if a base document is that of another sandbox */
export function refuseOther(base: unknown, id: string, file: string): void {
  const own = valueAt(base, ["simulator", "sandbox"]);
  if (own === undefined || own === id) return;
  const message = `is "${own}", but it is stored as "${id}": restore its name`;
  throw new UnusableDocument([{ file, ...problemAt(["simulator", "sandbox"], message) }]);
}

// A sandbox's stored document: its state as a fixture, and under `simulator` everything else needed to continue.

/** Leaves room to count up without losing precision. */
const MAX_COUNT = 1e15;

const count = () => integer({ minimum: 0, maximum: MAX_COUNT });
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
  records: array(record(unknown()) as Schema<object>),
});

/** A state, as the difference from the one at the top of the document. */
const stateSchema = object({
  ...fromKeys(COLLECTIONS, () => optional(collectionDeltaSchema)),
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
  own: optional(array(oneOf(keysOf(LOADED_PARTS)))),
  files: array(string()),
  state: stateSchema,
});

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
  isOrphan: optional(literal(true)),
});

/** The saved values of a run, by part and key; its records are at the top of the document. */
const valuesSchema = object(
  partial({
    run: object(
      partial({
        clock: anyOf([
          object({ frozenAt: instant() }),
          object({ aheadMs: number(), at: optional(instant()) }),
        ]),
        began: instant(),
        counters: countersSchema,
        logs: object({
          requests: count(),
          deliveries: count(),
          controls: count(),
          warnings: count(),
          received: count(),
        }),
        faults: object({ added: count() }),
      }),
    ),
    behaviour: record(unknown()),
    faults: record(faultRuleSchema),
    rates: record(object({ start: integer(), calls: count() })),
    sinks: record(sinkSettingsSchema),
    deliveries: record(pendingSchema),
    failures: record(count()),
  }),
);

const simulatorSchema = object({
  format: literal(FORMAT),
  sandbox: string(SANDBOX_ID),
  expiresAt: nullable(integer()),
  reached: object({ threads: count(), messages: count(), deliveries: optional(count()) }),
  start: startSchema,
  /** What the run started with, if it is not the sandbox's start. */
  run: nullable(
    object({
      ...START,
      /** Null: that of the start. */
      state: nullable(stateSchema),
    }),
  ),
  values: valuesSchema,
  snapshots: array(
    object({
      name: snapshotNameSchema,
      clock: clockSchema,
      began: optional(instant()),
      /** Whether its run started with the same state as the current run. */
      ofThisRun: boolean(),
      state: stateSchema,
    }),
  ),
});
export type SimulatorSection = InferReadonly<typeof simulatorSchema>;
export type StateSection = InferReadonly<typeof stateSchema>;
export type StartSection = InferReadonly<typeof startSchema>;

const validator = lazily(() => createAjv().compile(simulatorSchema));

export function sectionProblems(section: unknown): Problem[] {
  const problems = formatProblems({ simulator: section });
  if (problems.length > 0) return problems;
  const validate = validator();
  return validate(section) ? [] : schemaProblems(validate.errors, section, ["simulator"]);
}
