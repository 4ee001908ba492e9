import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "../kernel/abort.js";
import { contain } from "../kernel/contain.js";
import type { RequestBody } from "../kernel/http/body.js";
import { hasBody, readBody } from "../kernel/http/body.js";
import { routeTable } from "../kernel/http/endpoint.js";
import { CALL_MAKER_HEADER, SANDBOX_HEADER } from "../kernel/http/hops.js";
import { type HostNames, nameOf } from "../kernel/http/host-names.js";
import type { Load } from "../kernel/http/load.js";
import { fullness, RETRY_AFTER_S } from "../kernel/http/load.js";
import { FAILURE } from "../kernel/http/send.js";
import { splitTarget } from "../kernel/http/target.js";
import { later } from "../kernel/realtime.js";
import { estimateBytes } from "../kernel/size.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/durable.js";
import type { FaultAction } from "../sandbox/faults.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Refusal } from "../service/domain/refusal.js";
import type { ApiAnswer } from "./answers.js";
import { refusalAnswer } from "./answers.js";
import { hasOtherEnd } from "./checks.js";
import { corsHeaders, isPreflight } from "./cors.js";
import { Exchange, operationOf } from "./exchange.js";
import type { Operation } from "./operation.js";
import { inFormOf } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { Pipeline } from "./pipeline.js";
import { RepeatedHeaders } from "./repeated-headers.js";

/** Reports what goes wrong inside the simulator itself. */
type ReportFailure = (error: unknown, entry: JournalEntry) => void;

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
  readonly #counters: Exchange["counters"];
  readonly #report: ReportFailure;
  /** The answer to calls whose sandbox another process has. */
  readonly elsewhere: ApiAnswer;

  constructor(
    registry: SandboxRegistry,
    names: HostNames,
    load: Load,
    report: ReportFailure,
    elsewhere: ApiAnswer,
  ) {
    this.elsewhere = elsewhere;
    this.#registry = registry;
    this.#names = names;
    this.#load = load;
    this.#counters = { load, totals: registry.totals };
    this.#report = report;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (isPreflight(request) && this.#names.reboundOf(request) === undefined) {
      const headers = this.#preflightHeaders(request);
      if (headers !== undefined) return void response.writeHead(204, headers).end();
    }
    const exchange = this.#receive(request, response);
    const { report } = exchange.owner.run;
    const excess = this.#load.excess(request);
    this.#load.calls += 1;
    if (excess !== undefined) return this.#refuse(exchange, excess);
    if (hasBody(request)) response.on("close", () => contain(report, () => exchange.close()));
    const { bodies: pool } = this.#load;
    const { "limits.bodyBytes": limit } = exchange.values;
    readBody(request, { limit, pool, response }, (body) => {
      try {
        if (body === "too much") return this.#refuse(exchange, fullness(pool));
        this.#withBody(exchange, body);
      } catch (error) {
        this.#fail(exchange, error);
      }
    });
  }

  /** An answer outside of any sandbox, in the form of the operation that is asked for. */
  formed(answer: ApiAnswer, method: string, target: string): ApiAnswer {
    const hit = this.#routes.find(method, splitTarget(target).path);
    return inFormOf(operationOf(hit), answer, this.#registry.default.run.behaviour.values);
  }

  /** Enters a call into the journal of the sandbox that its token belongs to. */
  #receive(request: IncomingMessage, response: ServerResponse): Exchange {
    // Node fills in method and target of every request that a server receives.
    const { method = "", url = "", rawHeaders } = request;
    const { path, query } = splitTarget(url);
    const token = tokenOf(request);
    const owner = this.#registry.ownerOf(addressOf(request));
    const { logs, clock, calls } = owner.run;
    const hit = this.#routes.find(method, path);
    const by = isByScenario(request) ? "scenario" : "client";
    const id = logs.journal.nextId();
    const operation = operationOf(hit);
    const kept = this.#headers.shared(operation?.id, rawHeaders);
    // Texts that others hold anyway cost an entry nothing.
    const knownPath = path === operation?.path ? operation.path : path;
    const knownToken = token === owner.token ? owner.token : (token ?? null);
    const entry = new JournalEntry(id, clock.now(), by, method, knownPath, knownToken, query, kept.list);
    entry.operation = operation?.id ?? null;
    entry.ownToken = owner.token;
    logs.journal.add(entry, kept.bytes + (path === operation?.path ? 0 : estimateBytes(path)));
    calls.enter();
    return new Exchange(request, response, entry, owner, token, hit, this.#counters);
  }

  /** Refuses a call that is beyond what the simulator does at once, in the form of its operation. */
  #refuse(exchange: Exchange, reason: string): void {
    this.#load.refused += 1;
    const formed = exchange.refusal("limits.overloadError", { reason, retryAfter: RETRY_AFTER_S });
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
    const host = this.#names.reboundOf(request);
    if (host !== undefined) {
      const scope = { host, name: nameOf(host) };
      return this.#send(exchange, refusalAnswer("http.unknownHost", scope, exchange.values), undefined);
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
    if (fault?.drop === "before") return exchange.drop();
    if (run.signal.aborted) return this.#ended(exchange);
    const refusal = fault?.tokenExpired ? "auth.invalid" : fault?.refusal;
    if (refusal !== undefined) return this.#send(exchange, exchange.refusal(refusal), fault);
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
    { entry, owner, hit, token, request, values }: Exchange,
    body: RequestBody,
  ): ApiAnswer | Promise<ApiAnswer> {
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
    const { headers } = request;
    return this.#pipeline.answer({ owner, token, entry, operation, params, headers, body });
  }

  /** Sends an answer once what it tells of is kept as safely as was promised. */
  #send(exchange: Exchange, answer: ApiAnswer, fault: FaultAction | undefined): void {
    if (fault?.drop === "after") {
      exchange.entry.lostStatus = answer.status;
      return exchange.drop();
    }
    const kept = exchange.owner.run.log.settled(exchange.changesBefore);
    if (kept === undefined) return exchange.respond(answer, fault);
    kept
      .then(
        () => exchange.respond(answer, fault),
        (error: unknown) => {
          const refusal = this.unavailable(error, (scope) => exchange.refusal("limits.overloadError", scope));
          if (refusal === undefined) throw error;
          exchange.respond(refusal, fault);
        },
      )
      .catch((error) => this.#report(error, exchange.entry));
  }

  /** The answer where the store has given a sandbox to another process, or cannot keep a change now; undefined for any other error. */
  unavailable(error: unknown, refusal: (scope: Refusal["scope"]) => ApiAnswer): ApiAnswer | undefined {
    if (error instanceof LeaseHeldElsewhereError) return this.elsewhere;
    return error instanceof PersistenceUnavailableError ? refusal(error.scope) : undefined;
  }

  /** Answers a call whose run has ended: one whose sandbox another process has can be made again. */
  #ended(exchange: Exchange): void {
    try {
      exchange.owner.run.log.check();
    } catch (error) {
      if (error instanceof LeaseHeldElsewhereError) return exchange.respond(this.elsewhere, undefined);
    }
    exchange.drop();
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof LeaseHeldElsewhereError) return exchange.respond(this.elsewhere, undefined);
    this.#report(error, exchange.entry);
    this.#send(exchange, { status: 500, body: FAILURE }, undefined);
  }
}

/** The token that a call carries. */
const tokenOf = ({ headers: { token } }: IncomingMessage): string | undefined =>
  typeof token === "string" ? token : undefined;

const isByScenario = ({ headers }: IncomingMessage): boolean => headers[CALL_MAKER_HEADER] === "scenario";

/** What tells the sandbox of a call: its token; for a scenario's call without one, where the scenario runs. */
export function addressOf(request: IncomingMessage): string | undefined {
  const sandbox = isByScenario(request) ? request.headers[SANDBOX_HEADER] : undefined;
  return tokenOf(request) ?? (sandbox === undefined ? undefined : `${sandbox}.`);
}
