/** Steps that change the sandbox: threads and other records, snapshots, faults, behaviour. */

import type { FaultRule } from "../../client/types.js";
import { boolean, literal, object, oneOf, optional, record, string, unknown } from "../../kernel/schema.js";
import { isPlaceholder } from "../placeholders.js";
import type { StepKind } from "../step.js";
import { step } from "../step.js";
import { idSchema, namesInMatch, nearMissesIn, recordProblems, threadKey } from "./parts.js";

const empty = object({}, { maxProperties: 0 });
const justTrue = { schema: literal(true, { description: "always true" }), long: () => ({}) };

/** The channels with a messaging window, unless `window.channels` names others. */
const WINDOWED: readonly unknown[] = ["WHATSAPP"];

const named = object({ name: string({ minLength: 1, description: "the snapshot's name" }) });

const arming = { route: "POST /faults", noun: "fault" } as const;

const clearing = { route: "DELETE /faults" } as const;

export const WORLD: readonly StepKind[] = [
  step({
    key: "window",
    effect: "controls",
    behaviourKeys: () => ["window."],
    description: "opens or closes the messaging window",
    inThread: true,
    short: {
      schema: oneOf(["open", "closed"], { description: "open or closed" }),
      long: (state) => ({ open: state === "open" }),
    },
    long: object({ thread: threadKey, open: boolean() }),
    references: ({ thread }) => [
      {
        ...{ collection: "threads", name: thread, at: ["thread"] },
        doubt: ({ channel } = {}) =>
          channel === undefined || WINDOWED.includes(channel)
            ? undefined
            : `thread ${thread} is on ${channel}, which has no messaging window`,
      },
    ],
    send: { route: "POST /threads/:thread/window" },
    say: ({ open }) => ({ note: `messaging window ${open ? "open" : "closed"}` }),
  }),
  step({
    key: "transfer",
    effect: "controls",
    description: "moves the thread to another business and emits the transfer event",
    inThread: true,
    short: "to",
    long: object({
      thread: threadKey,
      to: idSchema("the business"),
      by: optional(
        idSchema("the user who takes the thread; default: the user of the business with the lowest id"),
      ),
    }),
    references: ({ to, by }) => [
      { collection: "businesses", name: to, at: ["to"] },
      { collection: "users", name: by, at: ["by"] },
    ],
    send: { route: "POST /threads/:thread/transfer", fields: { to: "businessId", by: "employeeUserId" } },
    say: ({ to }) => ({ note: `transferred to business ${to}` }),
  }),
  step({
    key: "status",
    effect: "controls",
    description: "sets the thread's status directly, not through the API",
    inThread: true,
    short: "status",
    long: object({
      thread: threadKey,
      status: oneOf(["waiting", "replied", "resolved"], { description: "the status" }),
    }),
    send: { route: "PATCH /data/threads/:thread" },
    say: ({ status: value }) => ({ note: `status ${value}` }),
  }),
  step({
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
    send: { route: "PATCH /data/:collection/:id", body: "values", noun: "record" },
    say: ({ collection, id, values }) => ({
      note: `set ${Object.keys(values).join(", ")} of ${collection}/${id}`,
    }),
  }),
  step({
    key: "snapshot",
    effect: "controls",
    description: "saves state and clock under a name",
    short: "name",
    long: named,
    creates: ({ name }) => [isPlaceholder(name) ? "snapshots" : `snapshots/${name}`],
    send: { route: "POST /snapshots" },
    say: ({ name }) => ({ note: `snapshot "${name}"` }),
  }),
  step({
    key: "restore",
    effect: "controls",
    description: "restores the state and clock of a snapshot",
    short: "name",
    long: named,
    references: ({ name }) => [
      {
        ...{ collection: "snapshots", name, at: ["name"] },
        doubt: () => `no step before takes a snapshot "${name}"`,
      },
    ],
    send: { route: "POST /snapshots/:name/restore" },
    say: async ({ name }, run) => {
      await run.readClock();
      return { note: `restored "${name}"` };
    },
  }),
  step({
    key: "reset",
    effect: "controls",
    description: "resets the sandbox to its initial state",
    short: justTrue,
    long: empty,
    run: async (run) => {
      await run.reset();
      return { note: "reset" };
    },
  }),
  step({
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
    send: arming,
    run: async (run, rule, { place }) => {
      const outcome = await run.send(arming, rule);
      run.armed((outcome.body as FaultRule).id, place);
      return { outcome, note: "fault armed" };
    },
  }),
  step({
    key: "clearFaults",
    effect: "controls",
    description: "disarms every fault rule",
    short: justTrue,
    long: empty,
    send: clearing,
    run: async (run) => {
      await run.settleFaults();
      return { outcome: await run.send(clearing, {}), note: "faults cleared" };
    },
  }),
  step({
    key: "behaviour",
    effect: "controls",
    schema: "behaviour",
    behaviourKeys: Object.keys,
    description: "changes values of the behaviour table; placeholders in them are not filled in",
    verbatim: true,
    long: record(unknown(), { minProperties: 1 }),
    send: { route: "PATCH /behaviour" },
    say: (values) => ({ note: `behaviour: ${Object.keys(values).join(", ")}` }),
  }),
];
