/** What a reply must be like: the step `reply` in a wait. And why none came. */

import { valueAt } from "../kernel/json.js";
import { caseless, expressionProblems } from "../kernel/linear-regex.js";
import { omitUndefined } from "../kernel/objects.js";
import { problemAt } from "../kernel/problems.js";
import { visibleMessages } from "../kernel/replies.js";
import type { Infer, InferReadonly } from "../kernel/schema.js";
import { anyOf, integer, object, optional, partial, string } from "../kernel/schema.js";
import { durationSchema } from "../kernel/units.js";
import type { RequestPattern } from "../sandbox/match.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { REPLY_MATCH } from "../service/world/matches.js";
import type { Template, Thread } from "../service/world/records.js";
import type { World } from "../service/world/world.js";
import { existing, unusable } from "./errors.js";

export const replySchema = object(
  {
    thread: anyOf([
      string({ minLength: 1, maxLength: 1024 }),
      integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ]),
    ...REPLY_MATCH,
    within: optional({ ...durationSchema, description: "overrides timeoutMs" }),
  },
  { title: "reply" },
);
export type AwaitedReply = Infer<typeof replySchema>;

/** The calls that send a matching message visible to the customer. @throws ControlError for a reply that is impossible */
export function repliesIn(
  { world }: { readonly world: Pick<World, "get" | "all"> },
  { thread, template, ...asked }: AwaitedReply,
): RequestPattern {
  existing(world.get("threads", String(thread)), "threads.notFound", { customerThreadId: thread });
  const problems = expressionProblems(asked.matches, ["for", "reply", "matches"]);
  if (problems.length > 0) throw unusable(problems);
  const { body, ...call } = visibleMessages(thread);
  const text = textCondition(asked);
  const contentSid =
    template === undefined ? undefined : { $oneOf: sidsOf(template, [...world.all("templates")]) };
  return { ...call, body: { ...body, ...omitUndefined({ text, contentSid }) } };
}

function sidsOf(template: string, templates: readonly Template[]): string[] {
  const meant = templates.filter(({ id, title }) => id === template || title === template);
  if (meant.length > 0) return meant.map(({ id }) => id);
  const known = templates.map(({ title }) => `"${title}"`).join(", ") || "none";
  const problem = `there is no template "${template}": known are ${known}`;
  throw unusable([problemAt(["for", "reply", "template"], problem)]);
}

function textCondition({ text, contains, matches, oneOf, not }: Partial<AwaitedReply>): unknown {
  const allowed = text === undefined ? oneOf : (oneOf ?? [text]).filter((one) => one === text);
  const condition = {
    ...(allowed && { $oneOf: allowed }),
    ...(contains !== undefined && { $contains: contains }),
    ...(matches !== undefined && { $regex: caseless(matches) }),
    ...(not !== undefined && { $not: partCondition(not) }),
  };
  const parts = Object.keys(condition).length;
  if (parts === 0) return undefined;
  return parts === 1 && allowed?.length === 1 ? allowed[0] : condition;
}

function partCondition(parts: string | readonly string[]): object {
  if (typeof parts === "string") return { $contains: parts };
  return { $oneOf: parts.map((part) => ({ $contains: part })) };
}

/** The thread in which a call is awaited: the one that the match names, else the one of the newest event that asks for it. */
export function awaitedThread({ run }: Sandbox, { body }: RequestPattern): Thread | undefined {
  const { logs } = run;
  const [first] = logs.deliveryLog.from(logs.beforeCause.deliveries);
  const asked = valueAt(body, ["customerThreadId"]);
  const named = valueAt(asked, ["$oneOf", 0]) ?? asked ?? first?.threadId;
  return run.shown().get("threads", String(named));
}

export const noReplySchema = object({
  cause: string({
    description: "one word; `replied` or `nothing-asked` if no reply is due",
    examples: ["not-connected"],
  }),
  ...partial({
    text: string({ description: "the diagnosis in a sentence" }),
    remedy: string({ description: "what to do" }),
    entry: string({ description: "the call or delivery that shows it", examples: ["d1"] }),
  }),
});
/** What stands between a customer and a reply. */
export type NoReply = InferReadonly<typeof noReplySchema>;

/** A diagnosis as one sentence, whose second half is the remedy; undefined if nothing is wrong. */
export function whyText({ text, remedy }: NoReply): string | undefined {
  if (text === undefined || remedy === undefined) return text;
  return `${text.replace(/\.$/, "")}; ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`;
}
