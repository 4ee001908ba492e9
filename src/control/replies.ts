/** Waiting for what the system under test says, in the words of a scenario's step `reply` (contract section 5). */
import { durationSchema, milliseconds } from "../kernel/duration.js";
import { given } from "../kernel/given.js";
import { linearRegex } from "../kernel/linear-regex.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import type { Infer, Keywords } from "../kernel/schema.js";
import { anyOf, array, integer, object, optional, string } from "../kernel/schema.js";
import type { RequestMatch } from "../sandbox/match.js";
import type { Run } from "../sandbox/run.js";
import { MAX_WAIT_MS } from "../sandbox/waits.js";
import type { Template } from "../world/records.js";
import { ControlError, unusable } from "./control-error.js";

/** A reply is compared with every message that comes: how long its texts are, and how many. */
const text = (description?: string) => string({ maxLength: 65_536, ...given({ description }) });
const texts = (keywords: Keywords = {}) => array(text(), { minItems: 1, maxItems: 1000, ...keywords });
const name = (keywords: Keywords = {}) => string({ minLength: 1, maxLength: 1024, ...keywords });

export const replySchema = object(
  {
    thread: anyOf([name(), integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    text: optional(text("the whole text")),
    contains: optional(text("a part of the text")),
    matches: optional(text("a regular expression that is found in the text, in either case")),
    oneOf: optional(texts({ description: "the whole text is one of these" })),
    not: optional(anyOf([text(), texts()], { description: "what the text must not hold" })),
    template: optional(name({ description: "the title or contentSid of the template that must be sent" })),
    within: optional({ ...durationSchema, description: "how long to wait, in place of timeoutMs" }),
  },
  { title: "reply" },
);
type ReplyMatch = Infer<typeof replySchema>;

/** How long to wait for a reply, ms. */
export const withinMs = ({ within }: ReplyMatch, timeoutMs: number): number =>
  within === undefined ? timeoutMs : Math.min(milliseconds(within), MAX_WAIT_MS);

/** The calls that send a message that the customer can see, as asked. @throws ControlError for what can never come */
export function repliesIn(
  { world }: Pick<Run, "world">,
  { thread, template, ...asked }: ReplyMatch,
): RequestMatch {
  if (world.get("threads", String(thread)) === undefined)
    throw new ControlError("threads.notFound", { customerThreadId: thread });
  const condition = textCondition(asked);
  return {
    by: "client",
    operation: "sendMessageToCustomerThread",
    succeeded: true,
    body: {
      // The thread's id may have been sent as text or as the number that events carry.
      customerThreadId: { $oneOf: [String(thread), Number(thread)] },
      internal: { $not: true },
      ...(Object.keys(condition).length > 0 && { text: condition }),
      ...given({
        contentSid: template === undefined ? undefined : contentSids(template, [...world.all("templates")]),
      }),
    },
  };
}

function textCondition({ text, contains, matches, oneOf, not }: Omit<ReplyMatch, "thread">): object {
  const problem = matches === undefined ? undefined : expressionProblem(matches);
  if (problem !== undefined) throw unusable([problem]);
  const allowed = text === undefined ? oneOf : (oneOf ?? [text]).filter((one) => one === text);
  const parts = not === undefined ? undefined : [not].flat().map((part) => ({ $contains: part }));
  return given({
    $oneOf: allowed,
    $contains: contains,
    $regex: matches,
    $flags: matches === undefined ? undefined : "i",
    $not: parts && { $oneOf: parts },
  });
}

function expressionProblem(matches: string): Problem | undefined {
  try {
    linearRegex(matches, "i");
    return undefined;
  } catch (error) {
    return problemAt(
      ["for", "reply", "matches"],
      `must be a regular expression: ${(error as Error).message}`,
    );
  }
}

function contentSids(template: string, templates: readonly Template[]): object {
  const sids = templates.filter(({ id, title }) => id === template || title === template).map(({ id }) => id);
  if (sids.length > 0) return { $oneOf: sids };
  const known = templates.map(({ title }) => `"${title}"`).join(", ") || "none";
  throw unusable([
    problemAt(["for", "reply", "template"], `there is no template "${template}": known are ${known}`),
  ]);
}
