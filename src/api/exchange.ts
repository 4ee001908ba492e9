import type { IncomingMessage, ServerResponse } from "node:http";
import { runSafely } from "../kernel/errors.js";
import type { Admission } from "../kernel/http/admission.js";
import { BODILESS, drop, JSON_TYPE, sendText } from "../kernel/http/answer.js";
import type { RequestBody } from "../kernel/http/body.js";
import type { RouteTable } from "../kernel/http/endpoint.js";
import type { Totals } from "../sandbox/coverage.js";
import type { FaultAction } from "../sandbox/fault-effects.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { Refusal } from "../service/domain/refusals.js";
import { inFormOf, refusedAnswer } from "./answers.js";
import type { ApiAnswer, Operation } from "./operation.js";

type Hit = ReturnType<RouteTable<Operation>["find"]>;

export const operationOf = (hit: Hit): Operation | undefined =>
  hit !== undefined && "route" in hit ? hit.route : undefined;

const NO_PARAMS: Readonly<Record<string, string>> = {};

export interface Incoming extends Exchange {
  readonly operation: Operation;
}

/** A call from its receipt until its answer is sent. It is answered or dropped exactly once, and its journal entry closed. */
export class Exchange {
  /** The called operation; undefined if path and method match none. */
  readonly operation: Operation | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The methods that its path allows, if it came with another one. */
  readonly allowed: readonly string[] | undefined;
  readonly changesBefore: number;
  body: RequestBody = "none";
  /** The keys of the behaviour table that the call has read. */
  readonly consulted: BehaviourKey[] = [];
  /** The values for the call; those that the system under test reads count as consulted, a scenario's do not. */
  readonly values: BehaviourValues;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly entry: JournalEntry,
    readonly owner: TokenOwner,
    readonly token: string | undefined,
    hit: Hit,
    readonly counters: { readonly load: Admission; readonly totals: Totals },
  ) {
    this.operation = operationOf(hit);
    this.params = hit !== undefined && "route" in hit ? hit.params : NO_PARAMS;
    this.allowed = hit !== undefined && "allowed" in hit ? hit.allowed : undefined;
    this.values = owner.run.behaviour.consultedInto(this.consulted, entry.by === "client");
    this.changesBefore = owner.run.saver.changes;
  }

  refusal(key: Parameters<typeof refusedAnswer>[0], scope?: Refusal["scope"]): ApiAnswer {
    return refusedAnswer(key, this.operation, this.values, scope);
  }

  /** Sends the answer, as changed by the fault. */
  respond(answer: ApiAnswer, fault: FaultAction | undefined): void {
    const { entry, owner, request, response } = this;
    const text = JSON.stringify(answer.body) ?? "null";
    const headers = ["X-Sim-Request", entry.id];
    if (answer.behaviour !== undefined) {
      headers.push("X-Sim-Behaviour", answer.behaviour);
      const isObserved = owner.run.behaviour.evidenceOf(answer.behaviour) !== undefined;
      if (isObserved) headers.push("X-Sim-Behaviour-Source", "observed");
    }
    if (answer.headers !== undefined) headers.push(...answer.headers);
    const { "cors.origins": origins } = this.values;
    if (origins.length > 0) headers.push(...corsHeaders(request, origins));
    if (fault?.headers !== undefined) headers.push(...Object.entries(fault.headers).flat());
    const hasNoBody = request.method === "HEAD" || BODILESS.has(answer.status);
    entry.close(answer.status, hasNoBody ? null : text);
    const sent = fault?.malformed ? `${text.slice(0, -1)},` : text;
    sendText(response, answer.status, JSON_TYPE, sent, headers);
    const { outcome } = answer;
    if (outcome !== undefined && entry.operation !== null && entry.by === "client" && !fault?.malformed)
      owner.run.coverage.count(`${entry.operation} ${outcome}`);
    this.close();
  }

  drop(): void {
    drop(this.request);
    this.close();
  }

  /** Closes the journal entry and counts the call as finished; does nothing the second time. */
  close(): void {
    const { entry, owner, counters } = this;
    if (entry.settled) return;
    const { run } = owner;
    if (entry.open) entry.close(null, null);
    run.calls.leave();
    counters.load.calls -= 1;
    counters.totals.countCall(entry);
    runSafely(run.report, () => run.logs.journal.changed(entry, entry.bodyBytes));
    entry.settle();
  }
}

/** The answer of a fault in place of the operation's, if it gives one. */
export function faultAnswer(exchange: Exchange, fault: FaultAction | undefined): ApiAnswer | undefined {
  if (fault === undefined) return undefined;
  const { tokenExpired, status, body } = fault;
  if (tokenExpired)
    return exchange.refusal("auth.invalid", {
      request: exchange.entry.body,
      operation: exchange.operation?.id,
    });
  if (status === undefined && body === undefined) return undefined;
  const answer = { status: status ?? 200, body: body === undefined ? {} : body };
  return fault.preset === undefined ? answer : inFormOf(exchange.operation, answer, exchange.values);
}

// CORS headers for the origins that `cors.origins` allows; answers to all others have none.

const OF_PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, POST",
  "Access-Control-Allow-Headers": "token, content-type",
  "Access-Control-Max-Age": "600",
};

const isAllowed = (origin: string | undefined, origins: readonly string[]): origin is string =>
  origin !== undefined && (origins.includes("*") || origins.includes(origin));

/** Whether a request is a browser's preflight, which asks whether the browser may send the actual request. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** The headers that let the calling origin read the answer, as a flat list; empty for an origin that is not allowed. */
export function corsHeaders(request: IncomingMessage, origins: readonly string[]): string[] {
  const { origin } = request.headers;
  if (!isAllowed(origin, origins)) return [];
  const headers = {
    "Access-Control-Allow-Origin": origin,
    Vary: "Origin",
    "Access-Control-Expose-Headers": "X-Sim-Request, X-Sim-Behaviour, X-Sim-Behaviour-Source, Retry-After",
  };
  return Object.entries(request.method === "OPTIONS" ? { ...headers, ...OF_PREFLIGHT } : headers).flat();
}

/** Shares repeated header texts between calls of one operation, since they would be most of a journal entry. */
export class RepeatedHeaders {
  readonly #last = new Map<string | undefined, readonly string[]>();

  shared(operation: string | undefined, list: readonly string[]): readonly string[] {
    const last = this.#last.get(operation);
    const isNew = (text: string, at: number) => text !== last?.[at];
    if (last?.length === list.length && !list.some(isNew)) return last;
    // If the text is equal, the older list keeps it alive and the newer copy is freed.
    const kept = list.map((text, at) => (isNew(text, at) ? text : (last?.[at] ?? text)));
    this.#last.set(operation, kept);
    return kept;
  }
}
