import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../domain/refusal.js";
import type { RequestBody } from "../http/body.js";
import { hasBody, readBody } from "../http/body.js";
import { routeTable, splitTarget } from "../http/endpoint.js";
import { CALL_MAKER_HEADER } from "../http/hops.js";
import { type HostNames, nameOf } from "../http/host-names.js";
import type { Load } from "../http/load.js";
import { fullness, RETRY_AFTER_S } from "../http/load.js";
import { FAILURE, JSON_TYPE, sendText } from "../http/send.js";
import { onAbort } from "../kernel/abort.js";
import { contain } from "../kernel/contain.js";
import { costOfText } from "../kernel/cost.js";
import { later } from "../kernel/realtime.js";
import type { RouteTable } from "../kernel/routes.js";
import { NotKept } from "../sandbox/durable.js";
import { Elsewhere } from "../sandbox/elsewhere.js";
import type { FaultAction } from "../sandbox/faults.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry, TokenOwner } from "../sandbox/registry.js";
import { idInToken } from "../sandbox/registry.js";
import type { ApiAnswer } from "./answers.js";
import { refusalAnswer } from "./answers.js";
import { hasOtherEnd, valuesFor } from "./checks.js";
import { corsHeaders, isPreflight } from "./cors.js";
import type { Operation } from "./operation.js";
import { inFormOf } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { Pipeline, refusedAnswer } from "./pipeline.js";
import { RepeatedHeaders } from "./repeated-headers.js";

/** Reports what goes wrong inside the simulator itself. */
type ReportFailure = (error: unknown, entry: JournalEntry) => void;

/** What calls meet where several processes share sandboxes. */
interface Sharing {
  /** Undefined where a sandbox is open here; else resolves when it is, or there is none. Left out: all are. */
  readonly opened?: ((id: string) => Promise<void> | undefined) | undefined;
  /** The answer to calls whose sandbox another process has. */
  readonly elsewhere: ApiAnswer;
}

/** A call from its receipt until its answer is sent. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: JournalEntry;
  readonly owner: TokenOwner;
  readonly token: string | undefined;
  readonly hit: ReturnType<RouteTable<Operation>["find"]>;
}

/**
 * The simulated API on the wire. A call's way: journal entry on receipt, token, sandbox, faults, checks, the operation in
 * one synchronous transaction, answer, journal entry closed. Deliveries follow on their own.
 */
export class ApiApp {
  readonly #routes = routeTable<Operation>(OPERATIONS);
  readonly #registry: SandboxRegistry;
  readonly #pipeline = new Pipeline();
  readonly #headers = new RepeatedHeaders();
  readonly #names: HostNames;
  readonly #load: Load;
  readonly #report: ReportFailure;
  readonly #sharing: Sharing;

  constructor(
    registry: SandboxRegistry,
    names: HostNames,
    load: Load,
    report: ReportFailure,
    sharing: Sharing,
  ) {
    this.#sharing = sharing;
    this.#registry = registry;
    this.#names = names;
    this.#load = load;
    this.#report = report;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const token = tokenOf(request);
    const opening = this.#sharing.opened?.(idInToken(token));
    if (opening === undefined) return this.#handle(request, response);
    opening
      .then(() => {
        const owner = this.#registry.ownerOf(token);
        // The fallback answers whoever it does not know, as the sandbox would, and nobody else.
        if (owner.token !== null && this.#registry.isFallback(owner.run))
          throw new Elsewhere(owner.run.sandboxId);
        // Nobody tells of the end of a call whose client has gone meanwhile.
        if (!response.destroyed) this.#handle(request, response);
      })
      .catch((error: unknown) => this.#refuseUnopened(request, response, error));
  }

  /** Answers a call whose sandbox cannot be opened here. */
  #refuseUnopened(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { method = "", url = "" } = request;
    const { values } = this.#registry.default.run.behaviour;
    const operation = operationOf(this.#routes.find(method, splitTarget(url).path));
    const answer =
      error instanceof NotKept
        ? refusedAnswer("limits.overloadError", operation, values, error.scope)
        : error instanceof Elsewhere
          ? this.#sharing.elsewhere
          : { status: 500, body: FAILURE };
    sendText(response, answer.status, JSON_TYPE, JSON.stringify(answer.body) ?? "null", answer.headers);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (isPreflight(request) && !this.#names.isRebound(request)) {
      const headers = this.#preflightHeaders(request);
      if (headers !== undefined) return void response.writeHead(204, headers).end();
    }
    const exchange = this.#receive(request, response);
    const { report } = exchange.owner.run;
    const excess = this.#load.excess(request);
    this.#load.calls += 1;
    if (excess !== undefined) return this.#refuse(exchange, excess);
    if (hasBody(request)) response.on("close", () => contain(report, () => this.#close(exchange)));
    const { bodies: pool } = this.#load;
    const { "limits.bodyBytes": limit } = valuesFor(exchange);
    readBody(request, { limit, pool, response }, (body) => {
      try {
        if (body === "too much") return this.#refuse(exchange, fullness(pool));
        this.#withBody(exchange, body);
      } catch (error) {
        this.#fail(exchange, error);
      }
    });
  }

  /** The body of an answer outside of any sandbox, in the form of the operation that is asked for. */
  bodyOf(answer: ApiAnswer, method: string, target: string): unknown {
    const hit = this.#routes.find(method, splitTarget(target).path);
    return inFormOf(operationOf(hit), answer, this.#registry.default.run.behaviour.values).body;
  }

  /** Enters a call into the journal of the sandbox that its token belongs to. */
  #receive(request: IncomingMessage, response: ServerResponse): Exchange {
    // Node fills in method and target of every request that a server receives.
    const { method = "", url = "", headers, rawHeaders } = request;
    const { path, query } = splitTarget(url);
    const token = tokenOf(request);
    const owner = this.#registry.ownerOf(token);
    const { logs, clock, calls } = owner.run;
    const hit = this.#routes.find(method, path);
    const by = headers[CALL_MAKER_HEADER] === "scenario" ? "scenario" : "client";
    const id = logs.journal.nextId();
    const operation = operationOf(hit);
    const kept = this.#headers.shared(operation?.id, rawHeaders);
    // Texts that others hold anyway cost an entry nothing.
    const knownPath = path === operation?.path ? operation.path : path;
    const knownToken = token === owner.token ? owner.token : (token ?? null);
    const entry = new JournalEntry(id, clock.now(), by, method, knownPath, knownToken, query, kept.list);
    entry.operation = operation?.id ?? null;
    entry.ownToken = owner.token;
    logs.journal.add(entry, kept.bytes + (path === operation?.path ? 0 : costOfText(path)));
    calls.enter();
    return { request, response, entry, owner, token, hit };
  }

  /** Refuses a call that is beyond what the simulator does at once, in the form of its operation. */
  #refuse(exchange: Exchange, reason: string): void {
    this.#load.refused += 1;
    const formed = overloadAnswer(exchange, { reason, retryAfter: RETRY_AFTER_S });
    const closing = this.#load.isLate(exchange.request) ? ["Connection", "close"] : [];
    this.#send(exchange, { ...formed, headers: [...(formed.headers ?? []), ...closing] }, undefined);
  }

  /** The answer to a preflight, which carries no token: the first sandbox that allows the origin decides. */
  #preflightHeaders(request: IncomingMessage): string[] | undefined {
    for (const { run } of this.#registry.all()) {
      const headers = corsHeaders(request, run.behaviour.values["cors.origins"]);
      if (headers.length > 0) return headers;
    }
    return undefined;
  }

  #withBody(exchange: Exchange, body: RequestBody): void {
    const { entry, owner, request } = exchange;
    const { logs, faults, signal } = owner.run;
    if (signal.aborted) return this.#ended(exchange);
    entry.receive(typeof body === "object" ? body : undefined);
    logs.journal.changed(entry);
    if (this.#names.isRebound(request)) {
      const { host = "" } = request.headers;
      const scope = { host, name: nameOf(host) };
      return this.#send(exchange, refusalAnswer("http.unknownHost", scope, valuesFor(exchange)), undefined);
    }
    const fault = faults.active ? faults.pick("request", entry) : undefined;
    entry.fault = fault?.rule;
    if (fault !== undefined && fault.delayMs > 0) this.#serveLater(exchange, body, fault);
    else this.#serve(exchange, body, fault);
  }

  /** Serves a call after a fault's delay; drops it as soon as its run is closed. */
  #serveLater(exchange: Exchange, body: RequestBody, fault: FaultAction): void {
    const serve = () =>
      contain(exchange.owner.run.report, () => {
        delay.cancel();
        unsubscribe();
        this.#serve(exchange, body, fault);
      });
    const delay = later(fault.delayMs, serve, { background: true });
    const unsubscribe = onAbort(exchange.owner.run.signal, serve);
  }

  #serve(exchange: Exchange, body: RequestBody, fault: FaultAction | undefined): void {
    const { run } = exchange.owner;
    if (fault?.drop === "before") return this.#drop(exchange);
    if (run.signal.aborted) return this.#ended(exchange);
    const refusal = fault?.tokenExpired ? "auth.invalid" : fault?.refusal;
    if (refusal !== undefined) {
      const answer = refusedAnswer(refusal, operationOf(exchange.hit), valuesFor(exchange));
      return this.#send(exchange, answer, fault);
    }
    if (fault?.status !== undefined || fault?.body !== undefined)
      return this.#send(exchange, { status: fault.status ?? 200, body: fault.body ?? {} }, fault);
    try {
      const answer = this.#answer(exchange, body);
      if (!(answer instanceof Promise)) return this.#send(exchange, answer, fault);
      answer
        .then((settled) => this.#send(exchange, settled, fault))
        .catch((error) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #answer(
    { entry, owner, hit, token, request }: Exchange,
    body: RequestBody,
  ): ApiAnswer | Promise<ApiAnswer> {
    const values = owner.run.behaviourFor(entry);
    const { method, path } = entry;
    if (hit === undefined) return refusalAnswer("http.unknownPath", { method, path }, values);
    if (!("route" in hit)) {
      const allowed = hit.allowed.join(", ");
      const answer = refusalAnswer("http.wrongMethod", { method, path, allowed }, values);
      return { ...answer, headers: ["Allow", allowed] };
    }
    const { route: operation, params } = hit;
    if (values["paths.trailingSlash"] === "reject" && hasOtherEnd(operation, path))
      return refusalAnswer("http.unknownPath", { method, path }, values);
    const contentType = request.headers["content-type"];
    return this.#pipeline.answer({ owner, token, entry, operation, params, contentType, body });
  }

  /** Sends an answer once what it tells of is kept as safely as was promised. */
  #send(exchange: Exchange, answer: ApiAnswer, fault: FaultAction | undefined): void {
    if (fault?.drop === "after") {
      exchange.entry.lostStatus = answer.status;
      return this.#drop(exchange);
    }
    const kept = exchange.owner.run.log.settled();
    if (kept === undefined) return this.#write(exchange, answer, fault);
    kept
      .then(
        () => this.#write(exchange, answer, fault),
        (error: unknown) => this.#write(exchange, this.#notKept(exchange, error), fault),
      )
      .catch((error) => this.#report(error, exchange.entry));
  }

  /** The answer to a call whose change is not kept yet, and may be later. */
  #notKept(exchange: Exchange, error: unknown): ApiAnswer {
    if (error instanceof Elsewhere) return this.#sharing.elsewhere;
    if (!(error instanceof NotKept)) throw error;
    return overloadAnswer(exchange, error.scope);
  }

  /** Answers a call whose run has ended: one whose sandbox another process has can be made again. */
  #ended(exchange: Exchange): void {
    if (isElsewhere(exchange.owner.run)) this.#write(exchange, this.#sharing.elsewhere, undefined);
    else this.#drop(exchange);
  }

  #write(exchange: Exchange, answer: ApiAnswer, fault: FaultAction | undefined): void {
    const { entry, owner, request, response } = exchange;
    const text = JSON.stringify(answer.body) ?? "null";
    const headers = ["X-Sim-Request", entry.id];
    if (answer.behaviour !== undefined) headers.push("X-Sim-Behaviour", answer.behaviour);
    if (answer.headers !== undefined) headers.push(...answer.headers);
    const { "cors.origins": origins } = valuesFor(exchange);
    if (origins.length > 0) headers.push(...corsHeaders(request, origins));
    if (fault?.headers !== undefined) headers.push(...Object.entries(fault.headers).flat());
    entry.close(answer.status, request.method === "HEAD" ? null : text);
    sendText(response, answer.status, JSON_TYPE, fault?.malformed ? `${text.slice(0, -1)},` : text, headers);
    const { outcome } = answer;
    if (outcome !== undefined && entry.operation !== null && entry.by === "client" && !fault?.malformed)
      owner.run.coverage.meet(entry.operation, outcome);
    this.#close(exchange);
  }

  /** Closes the connection instead of answering. */
  #drop(exchange: Exchange): void {
    exchange.request.socket.destroy();
    this.#close(exchange);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Elsewhere) return this.#write(exchange, this.#sharing.elsewhere, undefined);
    this.#report(error, exchange.entry);
    this.#send(exchange, { status: 500, body: FAILURE }, undefined);
  }

  /** Closes the journal entry and counts the call as finished; does nothing when that has happened. */
  #close({ entry, owner: { run } }: Exchange): void {
    if (entry.settled) return;
    if (entry.open) entry.close(null, null);
    run.calls.leave();
    this.#load.calls -= 1;
    this.#registry.totals.countCall(entry);
    contain(run.report, () => run.logs.journal.changed(entry, entry.cost));
    entry.settle();
  }
}

/** Whether another process has the sandbox by now. */
function isElsewhere({ log }: TokenOwner["run"]): boolean {
  try {
    log.check();
    return false;
  } catch (error) {
    return error instanceof Elsewhere;
  }
}

const tokenOf = ({ headers: { token } }: IncomingMessage): string | undefined =>
  typeof token === "string" ? token : undefined;

/** The operation that a call asks for, if it asks for one. */
const operationOf = (hit: Exchange["hit"]): Operation | undefined =>
  hit !== undefined && "route" in hit ? hit.route : undefined;

/** A refusal for want of room, in the form of the call's operation. */
const overloadAnswer = (exchange: Exchange, scope: Refusal["scope"]): ApiAnswer =>
  refusedAnswer("limits.overloadError", operationOf(exchange.hit), valuesFor(exchange), scope);
