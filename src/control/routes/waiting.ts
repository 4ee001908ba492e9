/** Waiting and verifying. */
import { BOUNDS } from "../../kernel/bounds.js";
import type { HttpAnswer } from "../../kernel/http/answer.js";
import { parsePath } from "../../kernel/json.js";
import { closedProblems, patternProblems } from "../../kernel/matching.js";
import { numberOf, omitUndefined } from "../../kernel/objects.js";
import { inSentence } from "../../kernel/printable.js";
import { problemAt } from "../../kernel/problems.js";
import { elapsedSince, onAbort } from "../../kernel/realtime.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  number,
  object,
  oneOf,
  partial,
  record,
  string,
  unknown,
  withDefault,
} from "../../kernel/schema.js";
import { milliseconds } from "../../kernel/units.js";
import { unknownKey } from "../../kernel/words.js";
import { JournalEntry } from "../../sandbox/journal.js";
import type { Logged } from "../../sandbox/log.js";
import type { DeliveryPattern, RequestPattern, TrafficKind } from "../../sandbox/match.js";
import { DELIVERIES, nearestMisses, RECORD_VALUES, REQUESTS, verify } from "../../sandbox/match.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { StateMatch, Wait } from "../../sandbox/waits.js";
import { nearestRecords } from "../../sandbox/waits.js";
import { deliveryMatchSchema, requestMatchSchema } from "../../service/world/matches.js";
import { COLLECTIONS } from "../../service/world/records.js";
import type { ControlErrorKey } from "../errors.js";
import { ControlError, unusable } from "../errors.js";
import { evictedSchema, nearMissesSchema, positionAfter } from "../inputs.js";
import { awaitedThread, repliesIn, replySchema, whyText } from "../replies.js";
import { route } from "../route.js";

const MAX_COUNT = BOUNDS.matchCount.limit;

const from = partial({
  count: integer({ minimum: 1, maximum: MAX_COUNT, description: "the minimum number of matches; default 1" }),
  since: string({ maxLength: 64, description: "the id of an entry: only later entries count" }),
  sinceCause: boolean({
    description:
      "only entries since the last control call, or call of a scenario, that caused a delivery count; deliveries caused by the system under test's own calls do not move that point",
  }),
  except: array(string({ maxLength: 64 }), {
    maxItems: BOUNDS.waitExcept.limit,
    description: "the ids of entries that do not count, because an expectation has used them up",
  }),
});
const exactly = integer({ minimum: 0, maximum: MAX_COUNT });
const expected = partial({
  count: anyOf([exactly, object(partial({ min: exactly, max: exactly }), { minProperties: 1 })], {
    description: "the number of matches; default: at least one",
  }),
});
const run = integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "the run of the matches: each reset starts a new one",
});
const matches = array(object({ id: string() }, { additionalProperties: true }), {
  description: "the calls, deliveries or records that match; of too many, the newest",
});
const stateMatchSchema = object(
  {
    collection: oneOf(COLLECTIONS),
    ...partial({
      id: string({ maxLength: 1024, description: "the record's id; default: any record of the collection" }),
    }),
    values: record(unknown(), { maxProperties: 100, description: "MATCH: the fields of the record" }),
  },
  { title: "state match" },
);

const waitSchema = object({
  for: anyOf(
    [
      oneOf(["idle"], { description: "no calls in flight, no due deliveries" }),
      object({ requests: requestMatchSchema, ...from }),
      object({ deliveries: deliveryMatchSchema, ...from }),
      object(
        { reply: replySchema, ...from },
        {
          description:
            "a visible message by the system under test, as in the step `reply`; the matches are its calls",
        },
      ),
      object(
        { state: stateMatchSchema },
        { description: "one record of the state, or any record of its collection" },
      ),
    ],
    { "x-form": '"idle", or an object with requests, deliveries, reply or state' },
  ),
  timeoutMs: withDefault(
    integer({ minimum: 0, maximum: BOUNDS.waitMs.limit, description: "real time" }),
    10_000,
  ),
  ...partial({
    run: {
      ...run,
      description: "from an earlier response: if a new run has started, respond without matches",
    },
  }),
});

const waitedSchema = object(
  partial({
    idle: boolean({ description: "true, if that was awaited" }),
    matches,
    count: integer({ description: "how many match" }),
    run,
    agesMs: array(number(), { description: "for calls: how long ago each was received, ms of real time" }),
  }),
);

/** The answer to a wait that timed out, and to an expectation that failed. */
const missedSchema = object({
  error: object({ code: oneOf(["timeout", "expectation"]), message: string(), details: array(unknown()) }),
  count: integer({ description: "the number of matches" }),
  nearMisses: nearMissesSchema,
  ...partial({
    ok: boolean({ description: "false, of an expectation" }),
    matches,
    run,
    why: string({
      description:
        "if a reply or a call was awaited and none came: the diagnosis of GET /threads/:id/why in words, or the newest call with an unknown token",
    }),
    onTheirWay: array(string(), { description: "the calls and deliveries that were still in flight" }),
    evicted: evictedSchema,
  }),
});

type LogMatch = { readonly requests: RequestPattern } | { readonly deliveries: DeliveryPattern };

/** One of the two logs with a match on it, and where the caller wrote that. @throws ControlError for an invalid match */
function matchedLog({ run }: Sandbox, input: LogMatch, path: string) {
  const [name, kind, match] =
    "requests" in input
      ? (["requests", REQUESTS, input.requests] as const)
      : (["deliveries", DELIVERIES, input.deliveries] as const);
  const at = `${path}${name}`;
  const problems = [...patternProblems(match, at), ...closedProblems(kind.values, match, parsePath(at))];
  if (problems.length > 0) throw unusable(problems);
  // Each kind only sees the entries of its own log, with a match for that log.
  const own = kind as unknown as TrafficKind<Logged, object>;
  return { kind: own, log: own.logIn(run.logs), match };
}

const ENDS = { closed: "sandboxes.ended", moved: "sandboxes.elsewhere" } as const;

/** Whether a wait was met in time. @throws ControlError if its sandbox is gone */
async function isMet(wait: Pick<Wait<never>, "end" | "ended">, gone: AbortSignal): Promise<boolean> {
  onAbort(gone, () => wait.end("dropped"));
  const end = await wait.ended;
  if (end === "met" || end === "timeout") return end === "met";
  if (end === "dropped") throw new DOMException("The client has disconnected", "AbortError");
  throw new ControlError(ENDS[end]);
}

function refusal(key: ControlErrorKey, scope: Readonly<Record<string, unknown>>, more: object): HttpAnswer {
  const error = new ControlError(key, scope);
  return { status: error.status, body: { ...error.toJSON(), ...omitUndefined(more) } };
}

async function waitForIdle(sandbox: Sandbox, timeoutMs: number, gone: AbortSignal) {
  if (await isMet(sandbox.waiters.idle(timeoutMs), gone))
    return { body: { idle: true, run: sandbox.run.epoch } };
  const { run } = sandbox;
  const requests = [...run.logs.journal.from()].filter(({ open }) => open);
  const deliveries = [...run.logs.deliveryLog.from()].filter(
    ({ status, nextAttemptAt }) => status === "pending" && nextAttemptAt === null,
  );
  const onTheirWay = [...requests, ...deliveries].map(({ id }) => id);
  const scope = { timeoutMs, onTheirWay: onTheirWay.join(", ") || "new calls" };
  return refusal("waits.notIdle", scope, {
    count: onTheirWay.length,
    nearMisses: [],
    onTheirWay,
    run: run.epoch,
  });
}

async function waitForState(
  sandbox: Sandbox,
  match: StateMatch,
  timeoutMs: number,
  gone: AbortSignal,
): Promise<HttpAnswer> {
  checkStateMatch(match);
  const wait = sandbox.waiters.state(match, timeoutMs);
  const isHeld = await isMet(wait, gone);
  const matches = wait.matches();
  if (isHeld) return { body: { matches, count: matches.length } };
  const nearMisses = await nearestRecords(sandbox.run.shown(), match);
  const { collection, id } = match;
  const [none, different] =
    id === undefined
      ? [`there are no ${collection}`, `no record in ${collection} matches`]
      : [`there is no record ${id} in ${collection}`, `${collection} ${id} does not match`];
  const what = nearMisses.length === 0 ? none : different;
  return refusal("waits.notHeld", { timeoutMs, what }, { count: 0, matches: [], nearMisses });
}

function checkStateMatch({ collection, values }: StateMatch): void {
  const { fields = [], closed = {} } = RECORD_VALUES[collection] ?? {};
  const at = ["for", "state", "values"];
  const strange = Object.keys(values).filter((field) => !field.startsWith("$") && !fields.includes(field));
  const problems = [
    ...strange.map((field) => problemAt([...at, field], unknownKey("field", field, fields))),
    ...patternProblems(values, at.join(".")),
    ...closedProblems(closed, values, at),
  ];
  if (problems.length > 0) throw unusable(problems);
}

function rangeOf(count: number | { min?: number; max?: number } = { min: 1 }) {
  if (typeof count === "number") return { min: count, max: count };
  const { min = 0, max = Number.POSITIVE_INFINITY } = count;
  if (min > max) throw unusable([{ path: "count.min", message: `must not be greater than max, ${max}` }]);
  return { min, max };
}

function rangeText({ min, max }: ReturnType<typeof rangeOf>): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
}

/** `No matching deliveries`, `1 of 2 matching requests` */
const matchesText = (found: number, awaited: number, entries: string): string =>
  found === 0 ? `No matching ${entries}` : `${found} of ${awaited} matching ${entries}`;

export const WAITING_ROUTES = [
  route("wait", "POST /wait", {
    summary: "Respond when a condition holds; existing entries count",
    body: waitSchema,
    success: { status: 200, schema: waitedSchema },
    others: [
      {
        status: 408,
        description: "Timed out: the number of matches, the nearest misses and how they differ",
        schema: missedSchema,
      },
    ],
    recorded: false,
    handle: async ({ sandbox, services, body, gone }) => {
      const { for: what, timeoutMs, run } = body;
      const { waiters } = sandbox;
      if (what === "idle") return waitForIdle(sandbox, timeoutMs, gone());
      if (sandbox.run.signal.aborted) throw new ControlError("sandboxes.ended");
      if ("state" in what) return waitForState(sandbox, what.state, timeoutMs, gone());
      const { count, since, sinceCause = false, except } = what;
      const within = "reply" in what ? what.reply.within : undefined;
      const ms = within === undefined ? timeoutMs : Math.min(milliseconds(within), BOUNDS.waitMs.limit);
      const given = "reply" in what ? { requests: repliesIn(sandbox.run, what.reply) } : what;
      const { kind, log, match } = matchedLog(sandbox, given, "for.");
      const isOver = run !== undefined && run !== sandbox.run.epoch;
      const before = sinceCause ? sandbox.run.logs.beforeCause[kind.name] : 0;
      const position = isOver ? 0 : Math.max(before, positionAfter(log, since, "for.since"));
      const wait = waiters.entries(kind, match, ms, { count, since: position, except, epoch: run });
      const isEnough = await isMet(wait, gone());
      const matches = wait.matches().sort((a, b) => numberOf(a.id) - numberOf(b.id));
      const found = { count: matches.length, matches, run: sandbox.run.epoch };
      if (isEnough) {
        const agesMs = matches.flatMap((entry) =>
          entry instanceof JournalEntry ? elapsedSince(entry.started, 3) : [],
        );
        return { body: { ...found, ...(agesMs.length > 0 && { agesMs }) } };
      }
      const isSilent = matches.length === 0 && "requests" in given;
      const thread = "requests" in given ? awaitedThread(sandbox, given.requests) : undefined;
      const told = thread && whyText(await services.why(sandbox, thread));
      const why = told ?? (isSilent ? await services.unknownToken(sandbox) : undefined);
      const scope = {
        matches: matchesText(found.count, wait.count, kind.name),
        timeoutMs: ms,
        thread: thread?.id,
        why: why === undefined ? "" : `: ${inSentence(why)}`,
      };
      return refusal(isSilent && "reply" in what ? "waits.noReply" : "waits.timeout", scope, {
        ...found,
        why,
        nearMisses: await nearestMisses(kind, log, match, wait.since),
        evicted: log.evictedSince(wait.since) || undefined,
      });
    },
  }),
  route("verify", "POST /verify", {
    summary: "Check immediately whether the expected number of calls or deliveries match",
    body: anyOf([
      object({ requests: requestMatchSchema, ...expected }),
      object({ deliveries: deliveryMatchSchema, ...expected }),
    ]),
    success: {
      status: 200,
      schema: object({ ok: boolean(), count: integer({ description: "the number of matches" }) }),
    },
    others: [
      {
        status: 422,
        description: "Too few or too many entries match, or entries that might have matched were evicted",
        schema: missedSchema,
      },
    ],
    recorded: false,
    handle: async ({ sandbox, body }) => {
      const range = rangeOf(body.count);
      const { kind, log, match } = matchedLog(sandbox, body, "");
      const { surplus, ...verdict } = await verify(kind, log, match, range);
      const { ok, count, evicted } = verdict;
      if (ok) return { body: { ok, count } };
      const gone = evicted === 0 ? "" : `, and ${evicted} that might have matched were evicted`;
      return refusal(
        "verify.failed",
        { found: count, expected: rangeText(range), gone },
        { ...verdict, matches: surplus.length > 0 ? surplus : undefined, evicted: evicted || undefined },
      );
    },
  }),
];
