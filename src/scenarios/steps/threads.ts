/** Steps that change a thread by hand. */
import { boolean, object, oneOf, optional } from "../../kernel/schema.js";
import { step } from "../step.js";
import { idSchema, threadKey } from "./parts.js";

export const window = step({
  key: "window",
  words: "opens or closes the messaging window",
  inThread: true,
  short: {
    schema: oneOf(["open", "closed"]),
    words: "open or closed",
    long: (state: "open" | "closed") => ({ open: state === "open" }),
  },
  long: object({ thread: threadKey, open: boolean() }),
  run: async (run, { thread, open }) => ({
    outcome: await run.call("POST", `/threads/${run.threadId(thread)}/window`, { open }),
    note: `messaging window ${open ? "open" : "closed"}`,
  }),
});

export const transfer = step({
  key: "transfer",
  words: "moves the thread to another business and emits the transfer event",
  inThread: true,
  short: { schema: idSchema("the business"), words: "the business", long: (to: string | number) => ({ to }) },
  long: object({
    thread: threadKey,
    to: idSchema("the business"),
    by: optional(idSchema("the user who takes the thread; left out: the lowest id of the business")),
  }),
  run: async (run, { thread, to, by }) => ({
    outcome: await run.call("POST", `/threads/${run.threadId(thread)}/transfer`, {
      businessId: String(to),
      ...(by === undefined ? {} : { employeeUserId: String(by) }),
    }),
    note: `transferred to business ${to}`,
  }),
});

const STATUSES = ["waiting", "replied", "resolved"] as const;

export const status = step({
  key: "status",
  words: "sets the thread's status directly, not through the API",
  inThread: true,
  short: {
    schema: oneOf(STATUSES),
    words: "the status",
    long: (value: (typeof STATUSES)[number]) => ({ status: value }),
  },
  long: object({ thread: threadKey, status: oneOf(STATUSES) }),
  run: async (run, { thread, status: value }) => ({
    outcome: await run.call("PATCH", `/data/threads/${run.threadId(thread)}`, { status: value }),
    note: `status ${value}`,
  }),
});
