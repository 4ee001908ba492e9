/** Steps in which somebody speaks, or keeps quiet. */
import { durationSchema } from "../../kernel/duration.js";
import { linearRegex } from "../../kernel/linear-regex.js";
import { problemAt } from "../../kernel/problems.js";
import { anyOf, array, boolean, object, optional, string } from "../../kernel/schema.js";
import { awaitReply, awaitSilence } from "../replies.js";
import { step } from "../step.js";
import { attachmentSchema, idSchema, threadKey, withinKey } from "./parts.js";

export const customer = step({
  key: "customer",
  words: "the customer writes",
  inThread: true,
  short: { schema: string({ minLength: 1 }), words: "the text", long: (says: string) => ({ says }) },
  long: object(
    { thread: threadKey, says: optional(string({ minLength: 1 })), attachment: optional(attachmentSchema) },
    { anyOf: [{ required: ["says"] }, { required: ["attachment"] }] },
  ),
  run: async (run, { thread, says: text, attachment }) => {
    const outcome = await run.call("POST", `/threads/${run.threadId(thread)}/inbound`, { text, attachment });
    run.spoken();
    return {
      outcome,
      said: { who: "customer", thread: run.threadId(thread), text: text ?? `[${attachment?.name}]` },
    };
  },
});

export const employee = step({
  key: "employee",
  words: "an employee writes in the service's own app",
  inThread: true,
  long: object({
    thread: threadKey,
    user: idSchema("the user who writes"),
    says: string({ minLength: 1 }),
    internal: optional(boolean({ description: "in the employee-only part" })),
  }),
  run: async (run, { thread, user, says: text, internal = false }) => {
    const path = `/threads/${run.threadId(thread)}/employee-message`;
    const outcome = await run.call("POST", path, { userId: String(user), text, internal });
    run.spoken();
    return { outcome, said: { who: "employee", thread: run.threadId(thread), text, internal } };
  },
});

export const reply = step({
  key: "reply",
  words: "waits for the system under test's next visible message in the thread",
  inThread: true,
  short: { schema: string({ minLength: 1 }), words: "the whole text", long: (text: string) => ({ text }) },
  long: object({
    thread: threadKey,
    text: optional(string({ description: "the whole text" })),
    contains: optional(string({ description: "a part of the text" })),
    matches: optional(
      string({ description: "a regular expression that is found in the text, in either case" }),
    ),
    oneOf: optional(array(string(), { minItems: 1, description: "the whole text is one of these" })),
    not: optional(
      anyOf([string(), array(string(), { minItems: 1 })], { description: "what the text must not hold" }),
    ),
    template: optional(string({ description: "the title or contentSid of the template that must be sent" })),
    within: withinKey,
  }),
  beside: { within: withinKey },
  problems: ({ matches }) => {
    if (matches === undefined) return [];
    try {
      linearRegex(matches, "i");
      return [];
    } catch (error) {
      return [problemAt(["matches"], `must be a regular expression: ${(error as Error).message}`)];
    }
  },
  run: (run, input) => awaitReply(run, input),
});

export const silent = step({
  key: "silent",
  words: "a time in which the system under test sends no visible message in the thread",
  inThread: true,
  short: { schema: durationSchema, words: "how long", long: (time: string | number) => ({ for: time }) },
  long: object({ thread: threadKey, for: durationSchema }),
  run: (run, { thread, for: time }) => awaitSilence(run, run.threadId(thread), time),
});
