/** Steps in which customers and employees write, or a thread is changed by hand. */

import { boolean, integer, object, oneOf, optional, string } from "../../kernel/schema.js";
import { step } from "../step.js";
import { idSchema, threadKey } from "./parts.js";

export const customer = step({
  key: "customer",
  effect: "controls",
  description: "the customer writes",
  inThread: true,
  short: "says",
  long: object(
    {
      thread: threadKey,
      says: optional(string({ minLength: 1, description: "the text" })),
      attachment: optional(
        object({
          uuid: string(),
          contentType: string(),
          name: string(),
          contentLength: integer({ minimum: 0 }),
        }),
      ),
    },
    { anyOf: [{ required: ["says"] }, { required: ["attachment"] }] },
  ),
  call: { route: "POST /threads/:thread/inbound", fields: { says: "text" }, noun: "message" },
  after: (context, { thread, attachment, says: text = `[${attachment?.name}]` }) => {
    context.spoken();
    return { said: { who: "customer", thread: context.threadId(thread), text } };
  },
});

export const employee = step({
  key: "employee",
  effect: "controls",
  description: "an employee writes in the service's app",
  inThread: true,
  long: object({
    thread: threadKey,
    user: idSchema("the user who writes"),
    says: string({ minLength: 1 }),
    internal: optional(boolean({ description: "visible to employees only" })),
  }),
  references: ({ user }) => [{ collection: "users", name: user, at: ["user"] }],
  call: {
    route: "POST /threads/:thread/employee-message",
    fields: { user: "userId", says: "text" },
    noun: "message",
  },
  after: (context, { thread, says: text, internal = false }) => {
    context.spoken();
    return { said: { who: "employee", thread: context.threadId(thread), text, internal } };
  },
});

export const window = step({
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
  call: { route: "POST /threads/:thread/window" },
  after: (_context, { open }) => ({ note: `messaging window ${open ? "open" : "closed"}` }),
});

export const transfer = step({
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
  call: { route: "POST /threads/:thread/transfer", fields: { to: "businessId", by: "employeeUserId" } },
  after: (_context, { to }) => ({ note: `transferred to business ${to}` }),
});

export const status = step({
  key: "status",
  effect: "controls",
  description: "sets the thread's status directly, not through the API",
  inThread: true,
  short: "status",
  long: object({
    thread: threadKey,
    status: oneOf(["waiting", "replied", "resolved"], { description: "the status" }),
  }),
  call: { route: "PATCH /data/threads/:thread" },
  after: (_context, { status: value }) => ({ note: `status ${value}` }),
});
