/** Waits for entries of the two logs, for a state and for idleness, and verification of the current logs. */
import type { ServerResponse } from "node:http";
import type { HttpAnswer } from "../kernel/http/answer.js";
import { parsePath } from "../kernel/json.js";
import { CostlyMatch, MatchBudget } from "../kernel/linear-regex.js";
import { closedProblems, patternProblems } from "../kernel/matching.js";
import { numberOf, omitUndefined } from "../kernel/objects.js";
import { keyProblemAt } from "../kernel/problems.js";
import { elapsedSince } from "../kernel/realtime.js";
import type { Infer } from "../kernel/schema.js";
import { object, oneOf, optional, record, string, unknown } from "../kernel/schema.js";
import { counted, MAX_LISTED, nearest, preview, unknownKey } from "../kernel/words.js";
import { sandboxToken } from "../protocol/names.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { Log, Logged } from "../sandbox/log.js";
import type { CountRange, DeliveryMatch, RequestMatch, TrafficKind } from "../sandbox/match.js";
import { DELIVERIES, nearestMisses, RECORD_VALUES, REQUESTS, verify } from "../sandbox/match.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Wait, WaitEnd } from "../sandbox/waits.js";
import { nearestRecords } from "../sandbox/waits.js";
import { COLLECTIONS } from "../service/world/records.js";
import type { ControlErrorKey } from "./errors.js";
import { ControlError, unusable } from "./errors.js";
import type { ControlServices } from "./services.js";

/** A match on one of the two logs, as the caller wrote it. */
type LogMatch = { readonly requests: RequestMatch } | { readonly deliveries: DeliveryMatch };

/** One of the two logs of a sandbox, with a match on it. */
interface MatchedLog {
  readonly kind: TrafficKind<Logged, object>;
  readonly log: Log<Logged>;
  readonly match: object;
  /** Where the caller wrote the match. */
  readonly at: string;
}

/** `path` is where the caller wrote the match. @throws ControlError for an invalid one */
export function matchedLog(sandbox: Sandbox, input: LogMatch, path: string): MatchedLog {
  const [name, kind, match] =
    "requests" in input
      ? (["requests", REQUESTS, input.requests] as const)
      : (["deliveries", DELIVERIES, input.deliveries] as const);
  const at = `${path}${name}`;
  const problems = [...patternProblems(match, at), ...closedProblems(kind.values, match, parsePath(at))];
  if (problems.length > 0) throw unusable(problems);
  // Each kind only sees the entries of its own log, with a match for that log.
  const own = kind as unknown as TrafficKind<Logged, object>;
  return { kind: own, log: own.logIn(sandbox.run.logs), match, at };
}

const NOTHING: HttpAnswer = { write: () => {} };

/** Waits for `count` matching entries from position `since` on, until the client disconnects. */
export async function waitForEntries(
  sandbox: Sandbox,
  { kind, log, match, at }: MatchedLog,
  {
    count,
    timeoutMs,
    since,
    run,
  }: { count: number; timeoutMs: number; since: number; run: number | undefined },
  response: ServerResponse,
  /** Another possible cause if nothing came. */
  hintsOn: () => readonly string[],
): Promise<HttpAnswer> {
  const wait = sandbox.waiters.entries(kind, match, count, timeoutMs, since, run);
  const end = await endOf(wait, response, at);
  if (end === "dropped") return NOTHING;
  const matches = wait.matches().sort((a, b) => numberOf(a.id) - numberOf(b.id));
  const found = matches.length;
  const { epoch } = sandbox.run;
  if (end === "met") {
    const agesMs = matches.flatMap((entry) =>
      entry instanceof JournalEntry ? elapsedSince(entry.started, 3) : [],
    );
    return { streamed: { matches, count: found, ...(agesMs.length > 0 && { agesMs }), run: epoch } };
  }
  await sandbox.waiters.turn();
  const hints = found === 0 ? hintsOn() : [];
  return refusal(
    "waits.timeout",
    { found, count, timeoutMs, hints: hints.map((hint) => `; ${hint}`).join("") },
    {
      count: found,
      ...(hints.length > 0 && { hints }),
      matches,
      run: epoch,
      nearMisses: nearestMisses(kind, log, match, wait.since),
      ...omitUndefined({ evicted: log.evictedSince(wait.since) || undefined }),
    },
  );
}

/**
 * Calls with unknown API keys since the sandbox's last reset: they belong to the sandbox that the key names, otherwise to
 * `default`, where other tests may have made some on purpose before.
 */
export function unknownKeys(sandbox: Sandbox, { registry }: Pick<ControlServices, "registry">): string[] {
  return [...new Set([sandbox, registry.default])].flatMap(({ id, run: { logs } }) => {
    const calls = [...logs.journal.from()].filter(
      ({ by, ownToken, started }) => by === "client" && ownToken === null && started >= sandbox.run.started,
    );
    const newest = calls.at(-1);
    if (newest === undefined) return [];
    const { method, path, token, status } = newest;
    const tokens = [...sandbox.run.world.all("tokens")].map((record) => record.id);
    const known = tokens.map((own) => sandboxToken(sandbox.id, own));
    const near = token === null ? undefined : nearest(token, [...known, ...tokens]);
    const meant = known[tokens.indexOf(near ?? "")] ?? near;
    const key = token === null ? "no API key" : `the API key ${preview(token)}`;
    const hint =
      meant === undefined
        ? `: this sandbox has ${known.slice(0, MAX_LISTED).join(", ") || "none"}`
        : `: did you mean ${preview(meant)}?`;
    return [
      `${counted(calls.length, "call")} to sandbox ${id} had no valid API key; the newest was ${method} ${path} → ${status ?? "no answer"} with ${key}${hint}`,
    ];
  });
}

/** Waits until the sandbox is idle or the client disconnects. */
export async function waitForIdle(
  sandbox: Sandbox,
  timeoutMs: number,
  response: ServerResponse,
): Promise<HttpAnswer> {
  const end = await endOf(sandbox.waiters.idle(timeoutMs), response);
  if (end === "dropped") return NOTHING;
  if (end === "met") return { body: { idle: true } };
  const { run } = sandbox;
  const requests = [...run.logs.journal.from()].filter(({ open }) => open);
  const deliveries = [...run.logs.deliveries.from()].filter(
    ({ status, nextAttemptAt }) => status === "pending" && nextAttemptAt === null,
  );
  const onTheirWay = [...requests, ...deliveries].map(({ id }) => id);
  const scope = { timeoutMs, onTheirWay: onTheirWay.join(", ") || "new calls" };
  return refusal("waits.notIdle", scope, { count: onTheirWay.length, nearMisses: [], onTheirWay });
}

/**
 * Resolves with how a wait ended; cancels it if its client disconnects. `at` is where the caller wrote its match.
 *
 * @throws ControlError if its sandbox is gone, and CostlyMatch
 */
async function endOf(
  wait: Pick<Wait<never>, "end" | "ended">,
  response: ServerResponse,
  at = "",
): Promise<"met" | "timeout" | "dropped"> {
  if (response.destroyed) wait.end("dropped");
  else response.once("close", () => wait.end("dropped"));
  const end: WaitEnd = await wait.ended;
  if (end === "costly") throw new CostlyMatch(at);
  if (end === "closed") throw new ControlError("waits.sandboxGone");
  if (end === "moved") throw new ControlError("sandboxes.elsewhere");
  if (end === "stopping") throw new ControlError("simulator.closing");
  return end;
}

/** An error with additional fields. */
function refusal(key: ControlErrorKey, scope: Readonly<Record<string, unknown>>, more: object): HttpAnswer {
  const error = new ControlError(key, scope);
  return { status: error.status, streamed: { ...error.toJSON(), ...more } };
}

/** @throws CostlyMatch */
export function verdictOf({ kind, log, match, at }: MatchedLog, range: CountRange): HttpAnswer {
  const { ok, count, evicted, nearMisses, surplus } = verify(kind, log, match, range, new MatchBudget(at));
  if (ok) return { body: { ok, count } };
  const matches = surplus.length > 0 ? surplus : undefined;
  const gone = evicted === 0 ? "" : `, and ${evicted} that might have matched were evicted`;
  return refusal(
    "verify.failed",
    { found: count, expected: rangeText(range), gone },
    { ok, count, nearMisses, ...omitUndefined({ matches, evicted: evicted || undefined }) },
  );
}

function rangeText({ min, max }: CountRange): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
}

export const stateMatchSchema = object(
  {
    collection: oneOf(COLLECTIONS),
    id: optional(
      string({ maxLength: 1024, description: "of the record; default: any record of the collection" }),
    ),
    values: record(unknown(), { maxProperties: 100, description: "MATCH: the fields of the record" }),
  },
  { title: "state match" },
);
type StateMatch = Infer<typeof stateMatchSchema>;

/** Waits until the state contains a record or the client disconnects. */
export async function waitForState(
  sandbox: Sandbox,
  match: StateMatch,
  timeoutMs: number,
  response: ServerResponse,
): Promise<HttpAnswer> {
  checkMatch(match);
  const wait = sandbox.waiters.state(match, timeoutMs);
  const end = await endOf(wait, response, "for.state.values");
  if (end === "dropped") return NOTHING;
  const records = wait.matches();
  if (end === "met") return { streamed: { matches: records, count: records.length } };
  await sandbox.waiters.turn();
  const nearMisses = nearestRecords(sandbox.run.shown(), match);
  const what = nearMisses.length === 0 ? nothingThere(match) : `${nameOf(match)} as asked`;
  return refusal("waits.notHeld", { timeoutMs, what }, { count: 0, matches: [], nearMisses });
}

const nameOf = ({ collection, id }: StateMatch): string =>
  id === undefined ? `no record of the ${collection} is` : `${collection} ${id} is not`;

const nothingThere = ({ collection, id }: StateMatch): string =>
  id === undefined ? `there are no ${collection}` : `there is no ${id} among the ${collection}`;

/** @throws ControlError for a match that no record can meet */
function checkMatch({ collection, values }: StateMatch): void {
  const { fields = [], closed = {} } = RECORD_VALUES[collection] ?? {};
  const at = ["for", "state", "values"];
  const strange = Object.keys(values).filter((field) => !field.startsWith("$") && !fields.includes(field));
  const problems = [
    ...strange.map((field) => keyProblemAt([...at, field], unknownKey("field", field, fields))),
    ...patternProblems(values, at.join(".")),
    ...closedProblems(closed, values, at),
  ];
  if (problems.length > 0) throw unusable(problems);
}
