/** What went over the wire in a run, whether a change was part of it, and the state that the run left. */
import type {
  DeliveryRecord,
  FaultInput,
  FixtureDocument,
  Message,
  RequestRecord,
} from "../../client/types.js";
import { isObject } from "../../kernel/json.js";
import { countsOf } from "../../kernel/objects.js";
import type { Change } from "./kinds.js";

export interface Wire {
  readonly requests: readonly RequestRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** The change's fault rules, by id; one that was armed again has several. */
  readonly armed: ReadonlyMap<string, FaultInput>;
  /** Those that fired, unless the scenario has cleared them: the journal may no longer hold their calls. */
  readonly fired: ReadonlySet<FaultInput>;
  /** Deliveries held back until their rule was removed: nothing has overtaken them. */
  readonly released: ReadonlySet<string>;
}

/** Counts and values by name: `thread 9001: messages by the business`. */
export type Facts = ReadonlyMap<string, number | string>;

/** A value with its digits masked: ids and times differ, but not in length. */
const shapeOf = (value: unknown): string => (JSON.stringify(value) ?? "").replace(/\d/g, "#");

export const isClients = ({ by }: RequestRecord): boolean => by === "client";

export const isRefused = (request: RequestRecord): boolean =>
  isClients(request) && request.status !== null && request.status >= 400;

export const sendsTemplate = ({ body }: RequestRecord): boolean =>
  isObject(body) && typeof body.contentSid === "string";

/** The calls of the system under test that list templates or send one. */
export const templateCalls = (requests: readonly RequestRecord[]): RequestRecord[] =>
  requests.filter(
    (request) =>
      isClients(request) && (request.operation === "getWhatsappTemplates" || sendsTemplate(request)),
  );

export const refusalOf = ({ operation, status, response }: RequestRecord): string =>
  `${operation} ${status} ${shapeOf(response)}`;

const callOf = ({ method, path, query, body }: RequestRecord): string =>
  `${method} ${path} ${JSON.stringify([query, body])}`;

export const callsIn = (requests: readonly RequestRecord[]): Map<string, number> =>
  countsOf(requests.filter(isClients).map(callOf));

/** Everything that the system under test received, value by value, without ids and times. */
export function traceOf({ requests, deliveries }: Wire): Facts {
  const trace = new Map<string, string>();
  const counts = new Map<string, number>();
  const add = (name: string, value: unknown) => {
    if (typeof value !== "object" || value === null) return void trace.set(name, shapeOf(value));
    trace.set(name, Object.keys(value).join());
    for (const [key, part] of Object.entries(value)) add(`${name}.${key}`, part);
  };
  const addNext = (kind: string, value: object) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    add(`${kind} ${count}`, value);
  };
  for (const { operation, path, status, response } of requests.filter(isClients))
    addNext(String(operation), { path, status, response });
  for (const { hookId, status, body, headers } of deliveries) {
    const others = Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith("webhook-"));
    addNext(hookId, { status, body, headers: Object.fromEntries(others) });
  }
  return trace;
}

/** A call that was repeated before Retry-After had passed. @param calls how often each is made in an unchanged run */
export function earlyCall({ requests, armed }: Wire, calls: ReadonlyMap<string, number>) {
  const refused = requests.filter(({ fault = "" }) => armed.get(fault)?.forMs !== undefined);
  const counts = countsOf(refused.map(callOf));
  return refused.find((request) => {
    const call = callOf(request);
    return (counts.get(call) ?? 0) > Math.max(1, calls.get(call) ?? 0);
  });
}

/** Wrong answers to copies; null: no answer. */
export const wrongAnswers = ({ deliveries }: Wire, { copy: answer }: Change): (number | null)[] =>
  deliveries
    .flatMap(({ attempts }) => attempts.filter(({ copy }) => copy && answer !== undefined))
    .map(({ status }) => status)
    .filter((status) => status === null || (answer === "a refusal" ? status < 400 : status >= 300));

/**
 * Why a change never reached the wire, if it did not.
 *
 * @param isVisible whether anything in the run differed from the unchanged one
 */
export function unreached(change: Change, wire: Wire, isVisible: boolean): string | undefined {
  const missing = change.faults.find((fault) => !hasHappened(fault, wire));
  if (missing !== undefined)
    return typeof missing.then === "object" && missing.then.reorder
      ? "no other event came before a step waited for this one: let two events happen before a step waits"
      : "nothing in the run triggered the change";
  if (change.templates !== undefined && templateCalls(wire.requests).length === 0)
    return "no template was listed or sent in the run";
  const isOfTheWorld = change.offset > 0 || (change.behaviour !== undefined && change.faults.length === 0);
  return isOfTheWorld && !isVisible
    ? "no response and no delivery differed from the unchanged run"
    : undefined;
}

/** Whether a fault took effect on at least one call or delivery. */
function hasHappened(fault: FaultInput, { requests, deliveries, armed, fired, released }: Wire): boolean {
  const isOf = (entry: { readonly fault?: string }) => armed.get(entry.fault ?? "") === fault;
  if (fault.on === "request" || typeof fault.then === "string")
    return fired.has(fault) || requests.some(isOf);
  const { reorder, duplicate = 0, answerLost, copy } = fault.then;
  return deliveries.some(({ id, attempts }) => {
    const touched = attempts.filter(isOf);
    return (
      touched.length > duplicate &&
      !(reorder && released.has(id)) &&
      (!answerLost || attempts.length > 1) &&
      (copy === undefined || touched.some((attempt) => attempt.copy))
    );
  });
}

export const FAILED = "deliveries that failed";
/** Matches the names of counts of messages that the system under test may have sent. */
export const SENT_COUNT = /: (?:internal messages|(?:messages|templates) by the business)$/;
/** Matches messages by the system under test. */
export const SENT = { operation: "sendMessageToCustomerThread", by: "client", succeeded: true } as const;

function kindOf({ fromCustomer, contentSid, invisible }: Message): string {
  if (fromCustomer) return "messages by the customer";
  if (invisible) return "internal messages";
  return contentSid === null ? "messages by the business" : "templates by the business";
}

/** The state that a run left. @param offset added to the ids of threads */
export function outcomeOf(
  state: FixtureDocument,
  deliveries: readonly DeliveryRecord[],
  offset: number,
): Facts {
  const outcome = new Map<string, number | string>();
  const count = (name: string) => outcome.set(name, Number(outcome.get(name) ?? 0) + 1);
  /** A name that does not depend on the offset. */
  const nameOf = (id: string) =>
    `thread ${offset > 0 && Number(id) > offset ? String(Number(id) - offset) : id}`;
  for (const { id, status, businessId } of state.threads ?? []) {
    outcome.set(`${nameOf(id)}: status`, status);
    outcome.set(`${nameOf(id)}: business`, businessId);
  }
  for (const message of state.messages ?? [])
    count(`${nameOf(message.threadId)}: ${kindOf(message as Message)}`);
  for (const { id, ...customer } of state.customers ?? [])
    for (const [field, value] of Object.entries(customer))
      outcome.set(`customer ${id}: ${field}`, JSON.stringify(value));
  for (const { status } of deliveries) if (status === "failed") count(FAILED);
  for (const { id } of state.users ?? []) outcome.set(`user ${id}`, "there");
  for (const { organizationId } of state.webhooks ?? []) count(`webhooks of organization ${organizationId}`);
  return outcome;
}

/** A difference to an unchanged run. */
export interface FactDifference {
  readonly what: string;
  readonly expected: number | string | null;
  readonly seen: number | string | null;
}

/** @param except names of facts that are not compared */
export function differencesOf(
  expected: Facts,
  seen: Facts,
  except: ReadonlySet<string> = new Set(),
): FactDifference[] {
  const names = new Set([...expected.keys(), ...seen.keys()]);
  return [...names]
    .map((what) => ({ what, expected: expected.get(what) ?? null, seen: seen.get(what) ?? null }))
    .filter(({ what, ...difference }) => difference.expected !== difference.seen && !except.has(what));
}
