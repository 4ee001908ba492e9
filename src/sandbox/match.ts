/** MATCH over calls and deliveries: how an entry differs from it, whether a log holds what it should, and what comes nearest. */
import { METHODS } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import { type ClosedFields, type Difference, differences, matches, pathMatches } from "../kernel/matching.js";
import { CALL_MAKERS, DELIVERY_STATUSES, EVENT_TYPES } from "../kernel/names.js";
import { inTurns } from "../kernel/realtime.js";
import { type Infer, object, type Schema } from "../kernel/schema.js";
import { OPERATION_IDS } from "../service/behaviour/entry.js";
import type { deliveryMatchSchema, requestMatchSchema } from "../service/world/matches.js";
import { DELIVERY_MATCH, REQUEST_MATCH } from "../service/world/matches.js";
import { RECORD_SCHEMAS } from "../service/world/records.js";
import type { Delivery } from "./deliveries.js";
import { hasSucceeded, type JournalEntry } from "./journal.js";
import type { Log, Logged } from "./log.js";

/** MATCH over either; which fields make sense depends on what it is applied to. */
export const anyMatchSchema = object({ ...DELIVERY_MATCH, ...REQUEST_MATCH }, { title: "match" });

export type RequestPattern = Infer<typeof requestMatchSchema>;
export type DeliveryPattern = Infer<typeof deliveryMatchSchema>;

/** How a call differs from a match, at most `most` times; empty if it matches. */
export function requestDifferences(match: RequestPattern, entry: JournalEntry, most?: number): Difference[] {
  const { path, token, body, ...rest } = match;
  const { method, operation, status, by } = entry;
  const seen = { method, operation, status, by, succeeded: hasSucceeded(entry) };
  const found = [
    ...pathDifferences(path, entry.path),
    ...tokenDifferences(token, entry),
    ...differences(rest, seen, "", most),
  ];
  // Reading the body takes longest.
  if (body === undefined || found.length >= (most ?? Number.POSITIVE_INFINITY)) return found;
  return [...found, ...differences(body, entry.body, "body", most)];
}

function pathDifferences(path: unknown, seen: string): Difference[] {
  if (path === undefined) return [];
  if (typeof path !== "string") return differences(path, seen, "path");
  return pathMatches(path, seen) ? [] : [{ path: "path", expected: path, seen }];
}

function tokenDifferences(token: unknown, { token: sent, ownToken }: JournalEntry): Difference[] {
  if (token === undefined || (ownToken !== null && matches(token, ownToken))) return [];
  return differences(token, sent, "token");
}

/** How a delivery differs from a match, at most `most` times; empty if it matches. */
export function deliveryDifferences(match: DeliveryPattern, delivery: Delivery, most?: number): Difference[] {
  const { webhookId, ...rest } = match;
  const found = differences(rest, delivery, "", most);
  if (webhookId === undefined || matches(webhookId, delivery.hookId)) return found;
  return [...differences(webhookId, delivery.webhookId, "webhookId", most), ...found];
}

export interface TrafficLogs {
  readonly journal: Log<JournalEntry>;
  readonly deliveryLog: Log<Delivery>;
}

/** What waits, verifications, faults and near misses need to know about calls or deliveries. */
export interface TrafficKind<E extends Logged, M> {
  readonly name: "requests" | "deliveries";
  readonly event: "request" | "delivery";
  logIn(logs: TrafficLogs): Log<E>;
  readonly fields: readonly string[];
  /** The possible values of its fields: a match for anything else could never be met. */
  readonly values: ClosedFields;
  differences(match: M, entry: E, most?: number): Difference[];
  /** Whether it is known by now whether an entry matches. */
  isDecided(match: M, entry: E): boolean;
  /** The weight of a difference in a field when looking for the nearest entry; 1 for all others. */
  readonly weights: Readonly<Record<string, number>>;
}

const MAX_PATH = BOUNDS.patternCharacters.limit;
const isShort = (value: unknown): boolean => typeof value !== "string" || value.length <= MAX_PATH;

const isHttpStatus = (value: unknown): boolean =>
  value === null || (typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599);

/** Whether a match can be decided once a call was received, before it is answered. */
const isDecidedByBody = ({ status, succeeded }: RequestPattern): boolean =>
  status === undefined && succeeded === undefined;

export const REQUESTS: TrafficKind<JournalEntry, RequestPattern> = {
  name: "requests",
  event: "request",
  logIn: ({ journal }) => journal,
  fields: Object.keys(REQUEST_MATCH),
  values: {
    method: { what: "method", values: METHODS },
    path: { what: "path", form: `at most ${MAX_PATH} characters long`, accepts: isShort },
    operation: { what: "operation", values: [...OPERATION_IDS, null] },
    status: { what: "status", form: "an HTTP status (100 to 599) or null", accepts: isHttpStatus },
    succeeded: { what: "outcome", form: "true or false", accepts: (value) => typeof value === "boolean" },
    by: { what: "maker of a call", values: CALL_MAKERS },
  },
  differences: requestDifferences,
  isDecided: (match, { received, open }) => !open || (received && isDecidedByBody(match)),
  weights: { path: 16, operation: 16, method: 8, token: 2 },
};

export const DELIVERIES: TrafficKind<Delivery, DeliveryPattern> = {
  name: "deliveries",
  event: "delivery",
  logIn: ({ deliveryLog }) => deliveryLog,
  fields: Object.keys(DELIVERY_MATCH),
  values: {
    eventType: { what: "event type", values: EVENT_TYPES },
    status: { what: "status", values: DELIVERY_STATUSES },
  },
  differences: deliveryDifferences,
  isDecided: () => true,
  weights: { eventType: 8, webhookId: 8, hookId: 8, threadId: 4 },
};

/** The fields of each collection's records, those at any depth of their values, and those with a closed set of values. */
export const RECORD_VALUES: Readonly<Record<string, ReturnType<typeof valuesOf>>> = Object.fromEntries(
  Object.entries(RECORD_SCHEMAS).map(([collection, schema]) => [collection, valuesOf(schema)]),
);

function valuesOf({ properties = {} }: Schema) {
  const closed = Object.entries(properties).flatMap(([field, { enum: values }]) =>
    values === undefined ? [] : [[field, { what: field, values: values as readonly string[] }] as const],
  );
  const fields = Object.keys(properties);
  const names = [...fields, ...Object.values(properties).flatMap(namesIn)];
  return { fields, names, closed: Object.fromEntries(closed) };
}

function namesIn({ properties = {}, items, anyOf = [] }: Schema): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...inner.flatMap(namesIn)];
}

/** An entry that is almost what was asked for, and where it is not. */
export interface NearEntry<E> {
  readonly id: string;
  readonly entry: E;
  readonly differences: readonly Difference[];
}

const MAX_MISSES = 5;

/** The entries of a log that come nearest to a match without being one. */
export const nearestMisses = <E extends { readonly id: string }, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  since = 0,
): Promise<NearEntry<E>[]> =>
  nearestOf(
    log.from(Math.max(since, log.mark - BOUNDS.nearMissEntries.limit)),
    (entry) => kind.differences(match, entry),
    kind.weights,
  );

/** The entries that differ least, the nearest first, of equal ones the newest first. */
export async function nearestOf<E extends { readonly id: string }>(
  entries: Iterable<E>,
  differencesOf: (entry: E) => readonly Difference[],
  weights: Readonly<Record<string, number>> = {},
): Promise<NearEntry<E>[]> {
  const misses: { readonly miss: NearEntry<E>; readonly distance: number }[] = [];
  for await (const entry of inTurns(entries)) {
    const differences = differencesOf(entry);
    if (differences.length === 0) continue;
    const distance = differences.reduce((sum, { path }) => sum + (weights[path] ?? 1), 0);
    misses.push({ miss: { id: entry.id, entry, differences }, distance });
  }
  const nearest = misses.reverse().sort((a, b) => a.distance - b.distance);
  return nearest.slice(0, MAX_MISSES).map(({ miss }) => miss);
}

/** The items that fit. A regular expression may take long to compare with thousands of them, so others have their turns. */
export async function fitting<T>(items: Iterable<T>, fits: (item: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  for await (const item of inTurns(items)) if (fits(item)) found.push(item);
  return found;
}

/** Whether a log holds as many matching entries as it should; not ok if `evicted` ones could have mattered. */
export async function verify<E extends Logged, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  { min, max }: Readonly<Record<"min" | "max", number>>,
) {
  const found = await fitting(log.from(), (entry) => kind.differences(match, entry, 1).length === 0);
  const count = found.length;
  const enough = count >= min;
  const evicted = enough && max === Number.POSITIVE_INFINITY ? 0 : log.evictedSince(0);
  return {
    ok: enough && count <= max && evicted === 0,
    count,
    evicted,
    nearMisses: enough ? [] : await nearestMisses(kind, log, match),
    surplus: count > max ? found.slice(-MAX_MISSES) : [],
  };
}
