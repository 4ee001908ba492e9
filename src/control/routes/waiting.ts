import { patternProblems } from "../../kernel/matching.js";
import type { Schema } from "../../kernel/schema.js";
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
import type { TrafficKind } from "../../sandbox/kinds.js";
import { DELIVERIES, REQUESTS } from "../../sandbox/kinds.js";
import type { Log } from "../../sandbox/log.js";
import { deliveryMatchSchema, requestMatchSchema } from "../../sandbox/match.js";
import { nearestMisses } from "../../sandbox/misses.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { CountRange } from "../../sandbox/verify.js";
import { verify } from "../../sandbox/verify.js";
import type { Wait, WaitEnd } from "../../sandbox/waiting.js";
import { MAX_WAIT_MS, TooManyWaits } from "../../sandbox/waiting.js";
import { ControlError, conflict, unusable } from "../errors.js";
import type { ControlReply, ControlRoute } from "../route.js";
import { route } from "../route.js";
import { deliverySchema, evictedSchema, nearMissesSchema, requestRecordSchema } from "../traffic-schemas.js";

const DEFAULT_WAIT_MS = 10_000;
const MAX_COUNT = 100_000;
const ANY_NUMBER: CountRange = { min: 1, max: Number.POSITIVE_INFINITY };

const atLeast = optional(
  integer({ minimum: 1, maximum: MAX_COUNT, description: "how many there must be at least; default 1" }),
);
const since = optional(string({ description: "the id of an entry: only those after it count" }));
const exactly = (description?: string) => integer({ minimum: 0, ...(description ? { description } : {}) });
const counts = optional(
  anyOf([exactly(), object({ min: optional(exactly()), max: optional(exactly()) }, { minProperties: 1 })], {
    description: "how many there must be; left out: at least one",
  }),
);
const anyRecord = anyOf([requestRecordSchema, deliverySchema]);

const waitSchema = object({
  for: anyOf([
    oneOf(["idle"], { description: "no call on its way, no delivery that is due" }),
    object({ requests: requestMatchSchema, count: atLeast, since }),
    object({ deliveries: deliveryMatchSchema, count: atLeast, since }),
  ]),
  timeoutMs: optional(
    integer({ minimum: 0, maximum: MAX_WAIT_MS, description: `real time; default ${DEFAULT_WAIT_MS}` }),
  ),
});

const waitedSchema: Schema = anyOf([
  object({ matches: array(anyRecord), count: integer() }),
  object({ idle: boolean() }),
]);
const timeoutSchema = object({
  error: object({ code: oneOf(["timeout"]), message: string(), details: array(unknown()) }),
  count: integer({ description: "how many matched" }),
  matches: optional(array(anyRecord)),
  nearMisses: nearMissesSchema,
  onTheirWay: optional(array(string(), { description: "the calls and deliveries that idleness waited for" })),
  evicted: evictedSchema,
});

/** Refuses a match whose operators make no sense. */
function checkPattern(match: object, place: string): void {
  const problems = patternProblems(match, place);
  if (problems.length > 0) throw unusable(problems);
}

/** Opens a wait, drops it when its client goes away, and resolves with how it ended. */
async function ended<W extends Wait<never> | Wait<{ readonly id: string }>>(
  open: () => W,
  onGone: (listener: () => void) => void,
): Promise<readonly [WaitEnd, W]> {
  try {
    const wait = open();
    onGone(() => wait.end("dropped"));
    return [await wait.ended, wait];
  } catch (error) {
    throw error instanceof TooManyWaits ? conflict(error.message) : error;
  }
}

/** The position after the entry with an id; without one the beginning. */
function positionAfter<E extends { readonly id: string }>(log: Log<E>, id: string | undefined): number {
  if (id === undefined) return 0;
  const position = log.positionOf(id);
  if (position < log.mark) return position + 1;
  throw unusable([{ path: "for.since", message: `must be the id of an entry, but is "${id}"` }]);
}

const SANDBOX_GONE = "the sandbox was deleted while it was waited on";

const timeout = (message: string, more: object): ControlReply => ({
  status: 408,
  body: { ...(new ControlError(408, "timeout", message).toJSON() as object), ...more },
});

const evictedPart = (evicted: number) => (evicted > 0 ? { evicted } : {});

/** Waits for entries of a log. */
async function waitFor<E extends { readonly id: string }, M extends object>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  { match, count, timeoutMs }: { match: M; count: number; timeoutMs: number },
  open: () => Wait<E>,
  onGone: (listener: () => void) => void,
): Promise<ControlReply | void> {
  const [end, wait] = await ended<Wait<E>>(open, onGone);
  const found = wait.matches();
  if (end === "met") return { body: { matches: found, count: found.length } };
  if (end === "closed") throw conflict(SANDBOX_GONE);
  if (end === "dropped") return;
  return timeout(`${found.length} of ${count} had come after ${timeoutMs} ms`, {
    count: found.length,
    matches: found,
    nearMisses: nearestMisses(kind, log, match, wait.since),
    ...evictedPart(log.evictedSince(wait.since)),
  });
}

async function waitForIdle(
  sandbox: Sandbox,
  timeoutMs: number,
  onGone: (listener: () => void) => void,
): Promise<ControlReply | void> {
  const [end] = await ended(() => sandbox.waiters.idle(timeoutMs), onGone);
  if (end === "met") return { body: { idle: true } };
  if (end === "closed") throw conflict(SANDBOX_GONE);
  if (end === "dropped") return;
  const { run } = sandbox;
  const requests = [...run.journal.from()].filter(({ open }) => open);
  const deliveries = [...run.deliveries.from()].filter(
    ({ status, nextAttemptAt }) => status === "pending" && nextAttemptAt === null,
  );
  const onTheirWay = [...requests, ...deliveries].map(({ id }) => id);
  return timeout(`not idle after ${timeoutMs} ms: on their way are ${onTheirWay.join(", ") || "new calls"}`, {
    count: onTheirWay.length,
    nearMisses: [],
    onTheirWay,
  });
}

const verdictSchema = object({ ok: boolean(), count: integer({ description: "how many match" }) });
const refusedVerdictSchema = object({
  ok: boolean(),
  count: integer(),
  nearMisses: nearMissesSchema,
  matches: optional(array(anyRecord, { description: "the newest that match, where there are too many" })),
  evicted: evictedSchema,
});

/** The answer to a verification. */
function verdict<E extends { readonly id: string }, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  range: CountRange,
): ControlReply {
  const { ok, count, evicted, nearMisses, surplus } = verify(kind, log, match, range);
  if (ok) return { body: { ok, count } };
  const many = surplus.length > 0 ? { matches: surplus } : {};
  return { status: 422, body: { ok, count, nearMisses, ...many, ...evictedPart(evicted) } };
}

function rangeOf(count: number | { min?: number; max?: number } | undefined): CountRange {
  if (count === undefined) return ANY_NUMBER;
  if (typeof count === "number") return { min: count, max: count };
  const { min = 0, max = Number.POSITIVE_INFINITY } = count;
  if (min > max) throw unusable([{ path: "count.min", message: `must not be greater than max, ${max}` }]);
  return { min, max };
}

export const WAITING_ROUTES: readonly ControlRoute[] = [
  route({
    id: "wait",
    method: "POST",
    path: "/wait",
    scope: "sandbox",
    summary: "Answer when something holds, entries already there included",
    body: waitSchema,
    success: { status: 200, schema: waitedSchema },
    refusals: {
      408: "the time was up: how many matched, the nearest misses and how they differ",
      409: "the sandbox was deleted meanwhile, or too many waits are open",
    },
    refusalSchemas: { 408: timeoutSchema },
    handle: ({ sandbox, run, body, response }) => {
      const { for: what, timeoutMs = DEFAULT_WAIT_MS } = body;
      const onGone = (listener: () => void) =>
        response.destroyed ? listener() : void response.once("close", listener);
      if (what === "idle") return waitForIdle(sandbox, timeoutMs, onGone);
      const { count = 1 } = what;
      const { waiters } = sandbox;
      if ("requests" in what) {
        const { requests: match } = what;
        checkPattern(match, "for.requests");
        const from = positionAfter(run.journal, what.since);
        const open = () => waiters.requests(match, count, timeoutMs, from);
        return waitFor(REQUESTS, run.journal, { match, count, timeoutMs }, open, onGone);
      }
      const { deliveries: match } = what;
      checkPattern(match, "for.deliveries");
      const from = positionAfter(run.deliveries, what.since);
      const open = () => waiters.deliveries(match, count, timeoutMs, from);
      return waitFor(DELIVERIES, run.deliveries, { match, count, timeoutMs }, open, onGone);
    },
  }),
  route({
    id: "verify",
    method: "POST",
    path: "/verify",
    scope: "sandbox",
    summary: "Say whether as many calls or deliveries match as should, as things stand",
    body: anyOf([
      object({ requests: requestMatchSchema, count: counts }),
      object({ deliveries: deliveryMatchSchema, count: counts }),
    ]),
    success: { status: 200, schema: verdictSchema },
    refusals: { 422: "too few or too many match, or entries that could have mattered were evicted" },
    refusalSchemas: { 422: refusedVerdictSchema },
    handle: ({ run, body }) => {
      const range = rangeOf(body.count);
      if ("requests" in body) {
        checkPattern(body.requests, "requests");
        return verdict(REQUESTS, run.journal, body.requests, range);
      }
      checkPattern(body.deliveries, "deliveries");
      return verdict(DELIVERIES, run.deliveries, body.deliveries, range);
    },
  }),
];
