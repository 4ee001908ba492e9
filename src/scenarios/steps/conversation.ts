/** Steps in which somebody at the simulated service speaks. */
import { boolean, object, optional, string } from "../../kernel/schema.js";
import { step } from "../step.js";
import { attachmentSchema, idSchema, threadKey } from "./parts.js";

export const customer = step({
  key: "customer",
  effect: "controls",
  description: "the customer writes",
  inThread: true,
  short: { schema: string({ minLength: 1 }), description: "the text", long: (says) => ({ says }) },
  long: object(
    { thread: threadKey, says: optional(string({ minLength: 1 })), attachment: optional(attachmentSchema) },
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
  description: "an employee writes in the service's own app",
  inThread: true,
  long: object({
    thread: threadKey,
    user: idSchema("the user who writes"),
    says: string({ minLength: 1 }),
    internal: optional(boolean({ description: "in the employee-only part" })),
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
