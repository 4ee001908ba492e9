/** Waiting and verifying. */
import { BOUNDS } from "../../kernel/bounds.js";
import type { Schema } from "../../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  number,
  object,
  oneOf,
  optional,
  string,
  unknown,
} from "../../kernel/schema.js";
import { deliverySchema } from "../../sandbox/deliveries.js";
import { requestRecordSchema } from "../../sandbox/journal.js";
import type { CountRange } from "../../sandbox/match.js";
import { MAX_WAIT_MS } from "../../sandbox/waits.js";
import { deliveryMatchSchema, requestMatchSchema } from "../../service/world/matches.js";
import { ControlError, unusable } from "../errors.js";
import { evictedSchema, nearMissesSchema, positionAfter } from "../inputs.js";
import { repliesIn, replySchema, withinMs } from "../replies.js";
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
const run = integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "the run that the matches belong to: a reset begins another",
});
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
  run: optional({
    ...run,
    description: "of an earlier answer: if another run begins, answer without matches",
  }),
});

const waitedSchema: Schema = anyOf([
  object({
    matches: array(anyRecord),
    count: integer(),
    agesMs: optional(
      array(number(), { description: "for calls: how long ago each was received, ms of real time" }),
    ),
    run,
  }),
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
  run: optional(run),
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
    handle: async ({
      sandbox,
      services,
      body: { for: what, timeoutMs = DEFAULT_WAIT_MS, run },
      response,
    }) => {
      if (what === "idle") return waitForIdle(sandbox, timeoutMs, response);
      await sandbox.waiters.turn();
      if (sandbox.run.signal.aborted) throw new ControlError("waits.sandboxGone");
      if ("state" in what) return waitForState(sandbox, what.state, timeoutMs, response);
      const { count = 1, since } = what;
      const match = "reply" in what ? { requests: repliesIn(sandbox.run, what.reply) } : what;
      const ms = "reply" in what ? withinMs(what.reply, timeoutMs) : timeoutMs;
      const matched = matchedLog(sandbox, match, "for.");
      const isOver = run !== undefined && run !== sandbox.run.epoch;
      const from = isOver ? 0 : positionAfter(matched.log, since, "for.since");
      const hintsOn = () => ("requests" in match ? unknownKeys(sandbox, services) : []);
      const options = { count, timeoutMs: ms, since: from, run };
      return waitForEntries(sandbox, matched, options, response, hintsOn);
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
    handle: async ({ sandbox, body }) => {
      const range = rangeOf(body.count);
      await sandbox.waiters.turn();
      return verdictOf(matchedLog(sandbox, body, ""), range);
    },
  }),
];
