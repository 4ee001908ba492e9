import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { runSafely } from "../kernel/errors.js";
import { BODILESS, drop, FAILURE, JSON_TYPE, sendJson, sendText } from "../kernel/http/answer.js";
import { hasBody, type RequestBody, readBody } from "../kernel/http/body.js";
import type { RouteHit } from "../kernel/http/endpoint.js";
import {
  CALL_MAKER_HEADER,
  type HostNames,
  nameOf,
  SANDBOX_HEADER,
  splitTarget,
} from "../kernel/http/target.js";
import { sleep } from "../kernel/realtime.js";
import type { FaultAction } from "../sandbox/fault-effects.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry, TokenOwner } from "../sandbox/registry.js";
import { idInToken } from "../sandbox/registry.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/saver.js";
import type { BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { Refusal, ServiceRefusalKey } from "../service/domain/refusals.js";
import { failureAnswer, inFormOf, refusalAnswer, successAnswer } from "./answers.js";
import { checked, hasOtherEnd } from "./checks.js";
import type { IncomingCall, Operation, ServiceAnswer } from "./operation.js";
import { OPERATION_ROUTES } from "./operations/index.js";
import { RequestValidator } from "./validation/validator.js";

interface ApiContext {
  readonly registry: SandboxRegistry;
  readonly names: HostNames;
  readonly report: (error: unknown, entry?: JournalEntry) => void;
  /** The answer to calls whose sandbox is held by another process. */
  readonly elsewhere: ServiceAnswer;
  /** If processes share sandboxes: undefined if the sandbox is open here, otherwise a promise that it is or does not exist. */
  readonly opened?: ((id: string) => Promise<void> | undefined) | undefined;
}

export class ApiApp {
  readonly #validator = new RequestValidator();

  constructor(private readonly context: ApiContext) {}

  /** Answers a call, once its sandbox is open in this process. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { registry, opened } = this.context;
    const opening = opened?.(idInToken(addressOf(request)));
    if (opening === undefined) return this.#begin(request, response);
    opening
      .then(() => {
        const owner = registry.ownerOf(addressOf(request));
        // The fallback only refuses unknown tokens, as the sandbox itself would.
        if (owner.token !== null && registry.isFallback(owner.run))
          throw new LeaseHeldElsewhereError(owner.run.sandboxId);
        // If the client has disconnected meanwhile, no event will report it.
        if (!response.destroyed) this.#begin(request, response);
      })
      .catch((error: unknown) => {
        const { method = "", url = "" } = request;
        const { route } = OPERATION_ROUTES.find(method, splitTarget(url).path);
        const { values } = registry.default.run.behaviour;
        const { status, body, headers } = this.#failure(error, (scope) =>
          inFormOf(route, refusalAnswer("store.unavailable", scope, values), values),
        );
        sendJson(response, status, body, headers);
      });
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#receive(request, response);
    this.#proceed(exchange, () => this.#serve(exchange));
  }

  /** Takes a call a step further; what the step throws, now or later, decides the answer. */
  #proceed(exchange: Exchange, step: () => unknown): void {
    runSafely((error) => this.#fail(exchange, error), step);
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { entry } = exchange;
    const again = (thrown: unknown) => this.context.report(thrown, entry);
    const refusal = (scope: Refusal["scope"]) => exchange.refusal("store.unavailable", scope);
    runSafely(again, () => exchange.respond(this.#failure(error, refusal, entry), undefined));
  }

  /**
   * The journey of a call from receipt to answer: body, faults, checks, the operation in one synchronous transaction, answer.
   * Deliveries follow on their own. A call that has to wait for nothing is answered at once.
   */
  #serve(exchange: Exchange): unknown {
    const { entry, request, response, owner, values } = exchange;
    if (entry.received) return this.#answer(exchange);
    // A call with a body adds something, at least to the journal.
    const full = this.context.registry.heap.refusal;
    if (full !== undefined)
      return this.#send(exchange, exchange.refusal("limits.overloadError", full.scope), undefined);
    const { logs, signal } = owner.run;
    // If the client disconnects first, the body never comes.
    response.on("close", () => exchange.close());
    readBody(request, { limit: values["limits.bodyBytes"], response }, (body) =>
      this.#proceed(exchange, () => {
        if (signal.aborted) return this.#ended(exchange);
        exchange.body = body;
        entry.receive(typeof body === "object" ? body : undefined);
        logs.journal.changed(entry);
        return this.#answer(exchange);
      }),
    );
  }

  #answer(exchange: Exchange): unknown {
    const { entry, request } = exchange;
    const { faults, signal } = exchange.owner.run;
    const host = this.context.names.reboundOf(request);
    if (host !== undefined) {
      const scope = { host, name: nameOf(host) };
      return this.#send(exchange, refusalAnswer("http.unknownHost", scope, exchange.values), undefined);
    }
    const fault = faults.active ? faults.pick("request", entry) : undefined;
    entry.fault = fault?.rule;
    if (fault === undefined || fault.delayMs <= 0) return this.#carryOut(exchange, fault);
    const go = () => this.#carryOut(exchange, fault);
    return sleep(fault.delayMs, signal).then(go, go);
  }

  #carryOut(exchange: Exchange, fault: FaultAction | undefined): unknown {
    if (fault?.drop === "before") return exchange.drop();
    if (exchange.owner.run.signal.aborted) return this.#ended(exchange);
    const answer = faultAnswer(exchange, fault) ?? answerTo(exchange, this.#validator);
    if (!(answer instanceof Promise)) return this.#send(exchange, answer, fault);
    return answer.then((settled) => this.#send(exchange, settled, fault));
  }

  /** Adds a call to the journal of the sandbox that its token belongs to. */
  #receive(request: IncomingMessage, response: ServerResponse): Exchange {
    // Node sets method and target on every request that a server receives.
    const { method = "", url = "", rawHeaders } = request;
    const { path, query } = splitTarget(url);
    const token = tokenOf(request);
    const owner = this.context.registry.ownerOf(addressOf(request));
    const { logs, clock, calls } = owner.run;
    const hit = OPERATION_ROUTES.find(method, path);
    const by = isByScenario(request) ? "scenario" : "client";
    const id = logs.journal.nextId();
    const entry = new JournalEntry(id, clock.now(), by, method, path, token ?? null, query, rawHeaders);
    entry.operation = hit.route?.id ?? null;
    entry.ownToken = owner.token;
    entry.received = !hasBody(request);
    logs.journal.add(entry);
    calls.enter();
    return new Exchange(request, response, entry, owner, token, hit);
  }

  /** Sends an answer, at once or when the changes that it reports are as durable as promised. */
  #send(
    exchange: Exchange,
    answer: ServiceAnswer,
    fault: FaultAction | undefined,
  ): Promise<void> | undefined {
    if (fault?.drop === "after") {
      exchange.entry.lostStatus = answer.status;
      return void exchange.drop();
    }
    const kept = exchange.owner.run.saver.settled(exchange.changesBefore);
    if (kept === undefined) return void exchange.respond(answer, fault);
    return kept.then(() => exchange.respond(answer, fault));
  }

  /**
   * The answer to a call that failed: the store has moved its sandbox to another process, or cannot save a change now. Anything
   * else is a bug, which is reported.
   */
  #failure(
    error: unknown,
    refusal: (scope: Refusal["scope"]) => ServiceAnswer,
    entry?: JournalEntry,
  ): ServiceAnswer {
    if (error instanceof LeaseHeldElsewhereError) return this.context.elsewhere;
    if (error instanceof PersistenceUnavailableError) return refusal(error.scope);
    this.context.report(error, entry);
    return { status: 500, body: FAILURE };
  }

  /** Ends a call whose run has ended. @throws LeaseHeldElsewhereError if its sandbox has moved: then the call can be repeated */
  #ended(exchange: Exchange): void {
    exchange.owner.run.saver.check();
    exchange.drop();
  }
}

/** The answer to a call that was received: the operation's, if all checks pass, or a refusal. */
function answerTo(exchange: Exchange, validator: RequestValidator): ServiceAnswer | Promise<ServiceAnswer> {
  const { entry, operation, values } = exchange;
  const { allowed } = exchange.hit;
  const { method, path } = entry;
  if (allowed.length > 0) {
    const methods = allowed.join(", ");
    const answer = refusalAnswer("http.wrongMethod", { method, path, allowed: methods }, values);
    return { ...answer, headers: ["Allow", methods] };
  }
  const unknown = () => refusalAnswer("http.unknownPath", { method, path }, values);
  if (operation === undefined) return unknown();
  if (values["paths.trailingSlash"] === "reject" && hasOtherEnd(operation, path))
    return { ...unknown(), behaviour: "paths.trailingSlash" };
  const call = exchange as IncomingCall;
  try {
    const success = operation.handle(checked(call, validator));
    if (!(success instanceof Promise)) return successAnswer(success, call);
    return success
      .then((settled) => successAnswer(settled, call))
      .catch((error) => failureAnswer(error, call));
  } catch (error) {
    return failureAnswer(error, call);
  }
}

const tokenOf = ({ headers: { token } }: IncomingMessage): string | undefined =>
  typeof token === "string" ? token : undefined;

const isByScenario = ({ headers }: IncomingMessage): boolean => headers[CALL_MAKER_HEADER] === "scenario";

/** How a call's sandbox is found: by its token, or for a scenario's call without one, by where the scenario runs. */
function addressOf(request: IncomingMessage): string | undefined {
  const sandbox = isByScenario(request) ? request.headers[SANDBOX_HEADER] : undefined;
  return tokenOf(request) ?? (sandbox === undefined ? undefined : `${sandbox}.`);
}

/** A call from its receipt until its answer is sent. It is answered or dropped exactly once, and its journal entry closed. */
class Exchange {
  /** The called operation; undefined if path and method match none. */
  readonly operation: Operation | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly changesBefore: number;
  readonly headers: IncomingHttpHeaders;
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
    readonly hit: RouteHit<Operation>,
  ) {
    this.operation = hit.route;
    this.params = hit.params;
    this.headers = request.headers;
    this.values = owner.run.behaviour.consultedInto(this.consulted, entry.by === "client");
    this.changesBefore = owner.run.saver.changes;
  }

  /** The answer to a refusal, in the form of the called operation. */
  refusal(key: ServiceRefusalKey, scope: Refusal["scope"] = {}): ServiceAnswer {
    return inFormOf(this.operation, refusalAnswer(key, scope, this.values), this.values);
  }

  /** Sends the answer, as changed by the fault. */
  respond(answer: ServiceAnswer, fault: FaultAction | undefined): void {
    const { entry, owner, request, response } = this;
    const text = JSON.stringify(answer.body) ?? "null";
    const headers = ["X-Sim-Request", entry.id];
    if (answer.behaviour !== undefined) {
      headers.push("X-Sim-Behaviour", answer.behaviour);
      const isObserved = owner.run.behaviour.evidenceOf(answer.behaviour) !== undefined;
      if (isObserved) headers.push("X-Sim-Behaviour-Source", "observed");
    }
    if (answer.headers !== undefined) headers.push(...answer.headers);
    if (fault?.headers !== undefined) headers.push(...Object.entries(fault.headers).flat());
    const hasNoBody = request.method === "HEAD" || BODILESS.has(answer.status);
    entry.close(answer.status, hasNoBody ? null : text);
    const sent = fault?.malformed ? `${text.slice(0, -1)},` : text;
    sendText(response, answer.status, JSON_TYPE, sent, headers);
    const { outcome } = answer;
    if (outcome !== undefined && entry.operation !== null && entry.by === "client" && !fault?.malformed)
      owner.run.coverage.count(entry.operation, outcome);
    this.close();
  }

  drop(): void {
    drop(this.request);
    this.close();
  }

  /** Closes the journal entry; does nothing the second time. */
  close(): void {
    const { entry, owner } = this;
    if (entry.settled) return;
    const { run } = owner;
    if (entry.open) entry.close(null, null);
    run.calls.leave();
    run.logs.journal.changed(entry, entry.bodyBytes);
    entry.settle();
  }
}

/** The answer of a fault in place of the operation's, if it gives one. */
function faultAnswer(exchange: Exchange, fault: FaultAction | undefined): ServiceAnswer | undefined {
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
