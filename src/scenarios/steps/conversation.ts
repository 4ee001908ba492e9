/** Steps in which somebody at the simulated service speaks. */
import { boolean, object, optional, string } from "../../kernel/schema.js";
import { step } from "../step.js";
import { attachmentSchema, idSchema, threadKey } from "./parts.js";

export const customer = step({
  key: "customer",
  description: "the customer writes",
  inThread: true,
  short: { schema: string({ minLength: 1 }), description: "the text", long: (says) => ({ says }) },
  long: object(
    { thread: threadKey, says: optional(string({ minLength: 1 })), attachment: optional(attachmentSchema) },
    { anyOf: [{ required: ["says"] }, { required: ["attachment"] }] },
  ),
  run: async (context, { thread: named, says: text, attachment }) => {
    const thread = context.threadId(named);
    const outcome = await context.control("POST", `/threads/${thread}/inbound`, { text, attachment });
    context.spoken();
    return { outcome, said: { who: "customer", thread, text: text ?? `[${attachment?.name}]` } };
  },
});

export const employee = step({
  key: "employee",
  description: "an employee writes in the service's own app",
  inThread: true,
  long: object({
    thread: threadKey,
    user: idSchema("the user who writes"),
    says: string({ minLength: 1 }),
    internal: optional(boolean({ description: "in the employee-only part" })),
  }),
  names: ({ user }) => [{ collection: "users", name: user, at: ["user"] }],
  run: async (context, { thread: named, user, says: text, internal = false }) => {
    const thread = context.threadId(named);
    const message = { userId: String(user), text, internal };
    const outcome = await context.control("POST", `/threads/${thread}/employee-message`, message);
    context.spoken();
    return { outcome, said: { who: "employee", thread, text, internal } };
  },
});
