/** Steps that change the sandbox: records, snapshots, faults, behaviour. */

import type { FaultRule } from "../../client/types.js";
import { literal, object, record, string, unknown } from "../../kernel/schema.js";
import { isPlaceholder } from "../placeholders.js";
import { sendStep, step } from "../step.js";
import { idSchema, namesInMatch, nearMissesIn, recordProblems } from "./parts.js";

const empty = object({}, { maxProperties: 0 });
const justTrue = { schema: literal(true, { description: "always true" }), long: () => ({}) };

export const set = step({
  key: "set",
  effect: "controls",
  description: "changes fields of a record directly",
  long: object({
    collection: string({ minLength: 1, description: "such as businesses" }),
    id: idSchema("the record's id"),
    values: record(unknown(), { minProperties: 1, description: "the fields that change" }),
  }),
  problems: ({ collection, values }, known) => recordProblems(known, collection, values),
  references: ({ collection, id }) => [{ collection, name: id, at: ["id"] }],
  call: { route: "PATCH /data/:collection/:id", body: "values", noun: "record" },
  after: (_context, { collection, id, values }) => ({
    note: `set ${Object.keys(values).join(", ")} of ${collection}/${id}`,
  }),
});

const named = object({ name: string({ minLength: 1, description: "the snapshot's name" }) });

export const snapshot = step({
  key: "snapshot",
  effect: "controls",
  description: "saves state and clock under a name",
  short: "name",
  long: named,
  call: { route: "POST /snapshots" },
  after: (_context, { name }) => ({ note: `snapshot "${name}"` }),
});

export const restore = step({
  key: "restore",
  effect: "controls",
  description: "restores the state and clock of a snapshot",
  short: "name",
  long: named,
  call: { route: "POST /snapshots/:name/restore" },
  after: async (context, { name }) => {
    await context.own?.readClock();
    return { note: `restored "${name}"` };
  },
});

export const reset = step({
  key: "reset",
  effect: "controls",
  description: "resets the sandbox to its initial state",
  short: justTrue,
  long: empty,
  run: async (context) => {
    await context.own?.reset();
    return { note: "reset" };
  },
});

const arming = { route: "POST /faults", noun: "fault" } as const;

export const fault = step({
  key: "fault",
  effect: "controls",
  schema: "fault",
  description: "arms a fault rule, as POST /__sim/faults does",
  long: record(unknown(), { required: ["on", "then"] }),
  problems: (rule, known) => [
    ...nearMissesIn(known, rule.on === "request" ? "request" : "delivery", rule.match, ["match"]),
    ...known.faultProblems(rule, isPlaceholder),
  ],
  references: ({ match }) => namesInMatch(match, ["match"]),
  call: arming,
  run: async (context, rule, { place }) => {
    const outcome = await sendStep(context, arming, rule);
    context.own?.lints.armed((outcome.body as FaultRule).id, place);
    return { outcome, note: "fault armed" };
  },
});

const clearing = { route: "DELETE /faults" } as const;

export const clearFaults = step({
  key: "clearFaults",
  effect: "controls",
  description: "disarms every fault rule",
  short: justTrue,
  long: empty,
  call: clearing,
  run: async (context) => {
    await context.own?.lints.settleFaults();
    return { outcome: await sendStep(context, clearing, {}), note: "faults cleared" };
  },
});

export const behaviour = step({
  key: "behaviour",
  effect: "controls",
  schema: "behaviour",
  behaviourKeys: Object.keys,
  description: "changes values of the behaviour table; placeholders in them are not filled in",
  verbatim: true,
  long: record(unknown(), { minProperties: 1 }),
  call: { route: "PATCH /behaviour" },
  after: (_context, values) => ({ note: `behaviour: ${Object.keys(values).join(", ")}` }),
});
