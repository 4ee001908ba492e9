/** Steps in which customers and employees write, and about what the system under test answers. */

import type { RequestRecord, Template } from "../../client/types.js";
import { caseless, expressionProblems, linearRegex } from "../../kernel/linear-regex.js";
import { matches as fits } from "../../kernel/matching.js";
import { segment } from "../../kernel/names.js";
import { omitUndefined } from "../../kernel/objects.js";
import { visibleMessages } from "../../kernel/replies.js";
import type { Infer } from "../../kernel/schema.js";
import { boolean, integer, object, optional, string } from "../../kernel/schema.js";
import { durationSchema, milliseconds } from "../../kernel/units.js";
import { either } from "../../kernel/words.js";
import { REPLY_MATCH } from "../../service/world/matches.js";
import type { Utterance } from "../report.js";
import { StepFailure } from "../report.js";
import type { StepKind, StepRun } from "../step.js";
import { step } from "../step.js";
import { idSchema, threadKey, withinKey } from "./parts.js";

const replySchema = object({
  thread: threadKey,
  ...REPLY_MATCH,
  within: withinKey,
});

export const CONVERSATION: readonly StepKind[] = [
  step({
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
    send: { route: "POST /threads/:thread/inbound", fields: { says: "text" }, noun: "message" },
    say: ({ thread, attachment, says: text = `[${attachment?.name}]` }, run) => {
      run.spoken();
      return { said: { who: "customer", thread: run.threadId(thread), text } };
    },
  }),
  step({
    key: "employee",
    effect: "controls",
    description: "an employee writes in the service's app",
    inThread: true,
    long: object({
      thread: threadKey,
      user: idSchema("the user who writes"),
      says: string({ minLength: 1 }),
      internal: optional(boolean({ description: "visible to employees only", default: false })),
    }),
    references: ({ user }) => [{ collection: "users", name: user, at: ["user"] }],
    send: {
      route: "POST /threads/:thread/employee-message",
      fields: { user: "userId", says: "text" },
      noun: "message",
    },
    say: ({ thread, says: text, internal = false }, run) => {
      run.spoken();
      return { said: { who: "employee", thread: run.threadId(thread), text, internal } };
    },
  }),
  step({
    key: "reply",
    effect: "observes",
    needsSystem: () => true,
    description: "waits for the system under test's next visible message in the thread",
    inThread: true,
    short: {
      schema: string({ minLength: 1, description: "the whole text" }),
      long: (text) => ({ text }),
    },
    long: replySchema,
    beside: { within: withinKey },
    problems: ({ matches }) => expressionProblems(matches, ["matches"]),
    references: ({ template }) => [{ collection: "templates", name: template, at: ["template"] }],
    /** The next visible message decides: the step does not wait for a better one. */
    run: async (run, { thread: named, within, ...expected }) => {
      const thread = run.threadId(named);
      const what = `No reply in thread ${thread}`;
      const wanted = { within: run.within(within), what, expected };
      const { entry, at } = await run.take("requests", visibleMessages(thread), wanted);
      const latencyMs = run.sinceSpoken(at);
      const { said, template } = await messageIn(run, thread, entry);
      const { status, body, response } = entry;
      const { text } = said;
      const outcome = { status, body, response, text };
      const wrong = disagreements(expected, text, template);
      if (wrong.length === 0) return { outcome, said, ...omitUndefined({ latencyMs }) };
      throw new StepFailure(`the reply ${wrong.join(", and ")}`, {
        expected,
        seen: template === undefined ? text : { text, template: template.title },
        outcome,
        said,
      });
    },
  }),
  step({
    key: "silent",
    effect: "observes",
    description:
      "checks that the system under test has sent no visible message in the thread since the last step that caused a delivery, unless an expectation has used it up, and sends none for a time",
    inThread: true,
    short: "for",
    long: object({ thread: threadKey, for: { ...durationSchema, description: "how long" } }),
    run: async (run, { thread: named, for: time }) => {
      const thread = run.threadId(named);
      const request = await run.quiet("requests", visibleMessages(thread), milliseconds(time));
      if (request === undefined) return { note: `silence for ${time}` };
      const { said } = await messageIn(run, thread, request);
      throw new StepFailure("your program was not silent", {
        expected: `no visible message in thread ${thread} for ${time}`,
        seen: said.text,
        said,
      });
    },
  }),
];

/** The message that a call has sent, and its template if it is one. */
async function messageIn(
  { transport }: StepRun,
  thread: string,
  { body }: RequestRecord,
): Promise<{ readonly said: Utterance; readonly template?: Template }> {
  const { text = "", contentSid } = body as { text?: string; contentSid?: string };
  if (contentSid === undefined) return { said: { who: "client", thread, text } };
  const template = await transport.call<Template>("GET", `/data/templates/${segment(contentSid)}`);
  return { said: { who: "client", thread, text: template.text, template: template.title }, template };
}

function disagreements(
  { text, contains, matches, oneOf, not, template }: Infer<typeof replySchema>,
  said: string,
  sent: Template | undefined,
): string[] {
  const wrong: string[] = [];
  const check = (words: string, holds: boolean) => void (holds || wrong.push(words));
  const quoted = (value: string) => JSON.stringify(value);
  if (text !== undefined) check(`should be ${quoted(text)}`, said === text);
  if (contains !== undefined)
    check(`should contain ${quoted(contains)}`, fits({ $contains: contains }, said));
  if (matches !== undefined) check(`should match /${matches}/i`, linearRegex(caseless(matches))(said));
  if (oneOf !== undefined) check(`should be ${either(oneOf.map(quoted))}`, oneOf.includes(said));
  for (const part of [not ?? []].flat())
    check(`should not contain ${quoted(part)}`, !fits({ $contains: part }, said));
  if (template !== undefined)
    check(`should be the template ${quoted(template)}`, [sent?.id, sent?.title].includes(template));
  return wrong;
}
