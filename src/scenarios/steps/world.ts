/** Steps that change the sandbox: records, snapshots, faults, behaviour. */
import { literal, object, record, string, unknown } from "../../kernel/schema.js";
import { step } from "../step.js";
import { idSchema } from "./parts.js";

const yes = literal(true);
const none = object({}, { maxProperties: 0 });
const justTrue = (words: string) => ({ schema: yes, words, long: () => ({}) });

const segment = encodeURIComponent;

export const set = step({
  key: "set",
  words: "changes fields of a record directly",
  long: object({
    collection: string({ minLength: 1, description: "such as businesses" }),
    id: idSchema("of the record"),
    values: record(unknown(), { minProperties: 1, description: "the fields that change" }),
  }),
  run: async (run, { collection, id, values }) => ({
    outcome: await run.call("PATCH", `/data/${segment(collection)}/${segment(String(id))}`, values),
    note: `set ${Object.keys(values).join(", ")} of ${collection}/${id}`,
  }),
});

const named = {
  schema: string({ minLength: 1 }),
  words: "the snapshot's name",
  long: (name: string) => ({ name }),
};

export const snapshot = step({
  key: "snapshot",
  words: "keeps state and clock under a name",
  short: named,
  long: object({ name: string({ minLength: 1 }) }),
  run: async (run, { name }) => ({
    outcome: await run.call("POST", "/snapshots", { name }),
    note: `snapshot "${name}"`,
  }),
});

export const restore = step({
  key: "restore",
  words: "brings back the state and clock of a snapshot",
  short: named,
  long: object({ name: string({ minLength: 1 }) }),
  run: async (run, { name }) => {
    const outcome = await run.call("POST", `/snapshots/${segment(name)}/restore`);
    await run.readClock();
    return { outcome, note: `restored "${name}"` };
  },
});

export const reset = step({
  key: "reset",
  words: "brings the sandbox back to its start",
  short: justTrue("always true"),
  long: none,
  run: async (run) => {
    await run.beginAnew();
    return { note: "reset" };
  },
});

export const fault = step({
  key: "fault",
  words: "arms a fault rule, as POST /__sim/faults takes it",
  long: record(unknown(), { required: ["on", "then"] }),
  run: async (run, rule) => ({ outcome: await run.call("POST", "/faults", rule), note: "fault armed" }),
});

export const clearFaults = step({
  key: "clearFaults",
  words: "disarms every fault rule",
  short: justTrue("always true"),
  long: none,
  run: async (run) => ({ outcome: await run.call("DELETE", "/faults"), note: "faults cleared" }),
});

export const behaviour = step({
  key: "behaviour",
  words: "changes values of the behaviour table; their own ${…} stay as they are",
  verbatim: true,
  long: record(unknown(), { minProperties: 1 }),
  run: async (run, values) => ({
    outcome: await run.call("PATCH", "/behaviour", values),
    note: `behaviour: ${Object.keys(values).join(", ")}`,
  }),
});
