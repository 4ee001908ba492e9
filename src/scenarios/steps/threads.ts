/** Steps that change a thread by hand. */
import { boolean, object, oneOf, optional } from "../../kernel/schema.js";
import { step } from "../step.js";
import { idSchema, threadKey } from "./parts.js";

export const window = step({
  key: "window",
  effect: "controls",
  notUnderLoad:
    "moves a messaging window by hand, and a load test plays only what customers, employees and your program do",
  description: "opens or closes the messaging window",
  inThread: true,
  short: {
    schema: oneOf(["open", "closed"]),
    description: "open or closed",
    long: (state) => ({ open: state === "open" }),
  },
  long: object({ thread: threadKey, open: boolean() }),
  call: { route: "POST /threads/:thread/window" },
  after: (_context, { open }) => ({ note: `messaging window ${open ? "open" : "closed"}` }),
});

export const transfer = step({
  key: "transfer",
  effect: "controls",
  description: "moves the thread to another business and emits the transfer event",
  inThread: true,
  short: { schema: idSchema("the business"), description: "the business", long: (to) => ({ to }) },
  long: object({
    thread: threadKey,
    to: idSchema("the business"),
    by: optional(idSchema("the user who takes the thread; left out: the lowest id of the business")),
  }),
  references: ({ to, by }) => [
    { collection: "businesses", name: to, at: ["to"] },
    { collection: "users", name: by, at: ["by"] },
  ],
  call: { route: "POST /threads/:thread/transfer", fields: { to: "businessId", by: "employeeUserId" } },
  after: (_context, { to }) => ({ note: `transferred to business ${to}` }),
});

const STATUSES = ["waiting", "replied", "resolved"] as const;

export const status = step({
  key: "status",
  effect: "controls",
  description: "sets the thread's status directly, not through the API",
  inThread: true,
  short: {
    schema: oneOf(STATUSES),
    description: "the status",
    long: (value) => ({ status: value }),
  },
  long: object({ thread: threadKey, status: oneOf(STATUSES) }),
  call: { route: "PATCH /data/threads/:thread" },
  after: (_context, { status: value }) => ({ note: `status ${value}` }),
});
