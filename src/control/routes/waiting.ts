/** Waiting and verifying. */
import { BOUNDS } from "../../kernel/bounds.js";
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { linearRegex } from "../../kernel/linear-regex.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import { problemAt } from "../../kernel/problems.js";
import type { Infer, Keywords, Schema } from "../../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  object,
  oneOf,
  optional,
  string,
  unknown,
} from "../../kernel/schema.js";
import { replyRequests, unknownTemplate } from "../../protocol/replies.js";
import { deliverySchema } from "../../sandbox/deliveries.js";
import { requestRecordSchema } from "../../sandbox/journal.js";
import type { RequestMatch } from "../../sandbox/match.js";
import type { Run } from "../../sandbox/run.js";
import type { CountRange } from "../../sandbox/verify.js";
import { MAX_WAIT_MS } from "../../sandbox/waits.js";
import { deliveryMatchSchema, requestMatchSchema } from "../../service/world/matches.js";
import { ControlError, unusable } from "../errors.js";
import { evictedSchema, nearMissesSchema, positionAfter } from "../inputs.js";
import { route } from "../route.js";
import {
  matchedLog,
  stateMatchSchema,
  unknownKeys,
  verdictOf,
  waitForEntries,
  waitForIdle,
  waitForState,
} from "../waits.js";

/** The limits of a reply's texts, since it is compared with every message. */
const text = (description?: string) => string({ maxLength: 65_536, ...omitUndefined({ description }) });
const texts = (keywords: Keywords = {}) => array(text(), { minItems: 1, maxItems: 1000, ...keywords });
const name = (keywords: Keywords = {}) => string({ minLength: 1, maxLength: 1024, ...keywords });

const replySchema = object(
  {
    thread: anyOf([name(), integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    text: optional(text("the whole text")),
    contains: optional(text("a part of the text")),
    matches: optional(text("a regular expression in RE2's syntax that is found in the text, in either case")),
    oneOf: optional(texts({ description: "the whole text is one of these" })),
    not: optional(anyOf([text(), texts()], { description: "what the text must not hold" })),
    template: optional(name({ description: "the title or contentSid of the template that must be sent" })),
    within: optional({ ...durationSchema, description: "the timeout, instead of timeoutMs" }),
  },
  { title: "reply" },
);
type ReplyMatch = Infer<typeof replySchema>;

/** How long to wait for a reply, ms. */
const withinMs = ({ within }: ReplyMatch, timeoutMs: number): number =>
  within === undefined ? timeoutMs : Math.min(milliseconds(within), MAX_WAIT_MS);

/** The calls that send a matching message visible to the customer. @throws ControlError for a reply that is impossible */
function repliesIn({ world }: Pick<Run, "world">, { thread, ...asked }: ReplyMatch): RequestMatch {
  if (world.get("threads", String(thread)) === undefined)
    throw new ControlError("threads.notFound", { customerThreadId: thread });
  const { matches, template, within: _, ...rest } = asked;
  const templates = template === undefined ? [] : [...world.all("templates")];
  const unknown = unknownTemplate(template, templates);
  if (unknown !== undefined) throw unusable([problemAt(["for", "reply", "template"], unknown)]);
  const problem = matches === undefined ? undefined : expressionProblem(matches);
  if (problem !== undefined) throw unusable([problem]);
  return replyRequests(thread, { ...rest, ...omitUndefined({ matches, template }) }, templates);
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

const DEFAULT_WAIT_MS = 10_000;
const MAX_COUNT = BOUNDS.matchCount.limit;
const ANY_NUMBER: CountRange = { min: 1, max: Number.POSITIVE_INFINITY };

const atLeast = optional(
  integer({ minimum: 1, maximum: MAX_COUNT, description: "the minimum number of matches; default 1" }),
);
const since = optional(
  string({ maxLength: 64, description: "the id of an entry: only later entries count" }),
);
const exactly = () => integer({ minimum: 0, maximum: MAX_COUNT });
const counts = optional(
  anyOf([exactly(), object({ min: optional(exactly()), max: optional(exactly()) }, { minProperties: 1 })], {
    description: "the number of matches; default: at least one",
  }),
);
const anyRecord = anyOf([requestRecordSchema, deliverySchema]);

const waitSchema = object({
  for: anyOf([
    oneOf(["idle"], { description: "no calls in flight, no due deliveries" }),
    object({ requests: requestMatchSchema, count: atLeast, since }),
    object({ deliveries: deliveryMatchSchema, count: atLeast, since }),
    object(
      { reply: replySchema, count: atLeast, since },
      {
        description:
          "a visible message by the system under test, as in the step `reply`; the matches are its calls",
      },
    ),
    object(
      { state: stateMatchSchema },
      { description: "one record of the state, or any record of its collection" },
    ),
  ]),
  timeoutMs: optional(
    integer({ minimum: 0, maximum: MAX_WAIT_MS, description: `real time; default ${DEFAULT_WAIT_MS}` }),
  ),
});

const waitedSchema: Schema = anyOf([
  object({ matches: array(anyRecord), count: integer() }),
  object(
    { matches: array(object({ id: string() }, { additionalProperties: true })), count: integer() },
    { description: "the matching records" },
  ),
  object({ idle: boolean() }),
]);
const timeoutSchema = object({
  error: object({ code: oneOf(["timeout"]), message: string(), details: array(unknown()) }),
  count: integer({ description: "the number of matches" }),
  matches: optional(array(anyRecord)),
  nearMisses: nearMissesSchema,
  hints: optional(
    array(string(), {
      description:
        "if nothing matched: how many calls carried an API key unknown to every sandbox, and their paths",
    }),
  ),
  onTheirWay: optional(
    array(string(), { description: "the calls and deliveries that were still in flight" }),
  ),
  evicted: evictedSchema,
});

const verdictSchema = object({ ok: boolean(), count: integer({ description: "the number of matches" }) });
const failedVerdictSchema = object({
  error: object({ code: oneOf(["expectation"]), message: string(), details: array(unknown()) }),
  ok: boolean(),
  count: integer(),
  nearMisses: nearMissesSchema,
  matches: optional(array(anyRecord, { description: "the newest matches, if there are too many" })),
  evicted: evictedSchema,
});

function rangeOf(count: number | { min?: number; max?: number } | undefined): CountRange {
  if (count === undefined) return ANY_NUMBER;
  if (typeof count === "number") return { min: count, max: count };
  const { min = 0, max = Number.POSITIVE_INFINITY } = count;
  if (min > max) throw unusable([{ path: "count.min", message: `must not be greater than max, ${max}` }]);
  return { min, max };
}

export const WAITING_ROUTES = [
  route("wait", "POST /wait", {
    summary: "Respond when a condition holds; existing entries count",
    body: waitSchema,
    success: { status: 200, schema: waitedSchema },
    refusals: ["threads.notFound", "waits.sandboxGone", "waits.tooMany", "simulator.closing"],
    others: [
      {
        status: 408,
        description: "Timed out: the number of matches, the nearest misses and how they differ",
        schema: timeoutSchema,
      },
    ],
    recorded: false,
    handle: ({ sandbox, run, services, body: { for: what, timeoutMs = DEFAULT_WAIT_MS }, response }) => {
      if (what === "idle") return waitForIdle(sandbox, timeoutMs, response);
      if ("state" in what) return waitForState(sandbox, what.state, timeoutMs, response);
      const { count = 1, since } = what;
      const match = "reply" in what ? { requests: repliesIn(run, what.reply) } : what;
      const ms = "reply" in what ? withinMs(what.reply, timeoutMs) : timeoutMs;
      const matched = matchedLog(sandbox, match, "for.");
      const from = positionAfter(matched.log, since, "for.since");
      const hintsOn = () => ("requests" in match ? unknownKeys(sandbox, services) : []);
      return waitForEntries(sandbox, matched, { count, timeoutMs: ms, since: from }, response, hintsOn);
    },
  }),
  route("verify", "POST /verify", {
    summary: "Check at once whether the expected number of calls or deliveries match",
    body: anyOf([
      object({ requests: requestMatchSchema, count: counts }),
      object({ deliveries: deliveryMatchSchema, count: counts }),
    ]),
    success: { status: 200, schema: verdictSchema },
    others: [
      {
        status: 422,
        description: "Too few or too many entries match, or entries that might have matched were evicted",
        schema: failedVerdictSchema,
      },
    ],
    recorded: false,
    handle: ({ sandbox, body }) => {
      const range = rangeOf(body.count);
      return verdictOf(matchedLog(sandbox, body, ""), range);
    },
  }),
];
