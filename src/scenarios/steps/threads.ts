/** Steps that change a thread by hand. */
import { boolean, object, oneOf, optional } from "../../kernel/schema.js";
import { step } from "../step.js";
import { idSchema, threadKey } from "./parts.js";

export const window = step({
  key: "window",
  description: "opens or closes the messaging window",
  inThread: true,
  short: {
    schema: oneOf(["open", "closed"]),
    description: "open or closed",
    long: (state) => ({ open: state === "open" }),
  },
  long: object({ thread: threadKey, open: boolean() }),
  run: async (context, { thread, open }) => ({
    outcome: await context.control("POST", `/threads/${context.threadId(thread)}/window`, { open }),
    note: `messaging window ${open ? "open" : "closed"}`,
  }),
});

export const transfer = step({
  key: "transfer",
  description: "moves the thread to another business and emits the transfer event",
  inThread: true,
  short: { schema: idSchema("the business"), description: "the business", long: (to) => ({ to }) },
  long: object({
    thread: threadKey,
    to: idSchema("the business"),
    by: optional(idSchema("the user who takes the thread; left out: the lowest id of the business")),
  }),
  names: ({ to, by }) => [
    { collection: "businesses", name: to, at: ["to"] },
    { collection: "users", name: by, at: ["by"] },
  ],
  run: async (context, { thread, to, by }) => ({
    outcome: await context.control("POST", `/threads/${context.threadId(thread)}/transfer`, {
      businessId: String(to),
      employeeUserId: by === undefined ? undefined : String(by),
    }),
    note: `transferred to business ${to}`,
  }),
});

const STATUSES = ["waiting", "replied", "resolved"] as const;

export const status = step({
  key: "status",
  description: "sets the thread's status directly, not through the API",
  inThread: true,
  short: {
    schema: oneOf(STATUSES),
    description: "the status",
    long: (value) => ({ status: value }),
  },
  long: object({ thread: threadKey, status: oneOf(STATUSES) }),
  run: async (context, { thread, status: value }) => ({
    outcome: await context.control("PATCH", `/data/threads/${context.threadId(thread)}`, { status: value }),
    note: `status ${value}`,
  }),
});
