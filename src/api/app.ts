import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody, JSON_TYPE, readBody, sendText, splitTarget } from "../http/exchange.js";
import type { ParsedJson } from "../http/json.js";
import { parseJson } from "../http/json.js";
import { onAbort } from "../kernel/abort.js";
import { later } from "../kernel/realtime.js";
import { RouteTable } from "../kernel/routes.js";
import type { FaultAction } from "../sandbox/faults.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry, TokenOwner } from "../sandbox/registry.js";
import type { ApiAnswer } from "./answers.js";
import { answerTo } from "./answers.js";
import { corsHeaders, isPreflight } from "./cors.js";
import { GraphqlRunner } from "./graphql/execute.js";
import type { Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { Pipeline } from "./pipeline.js";
import { RequestValidator } from "./validation/validator.js";

/** The header by which a scenario's own calls are told from those of the system under test. */
export const CALL_MAKER_HEADER = "x-sim-by";

/** What goes wrong inside the simulator itself, for its log. */
export type ReportFailure = (error: unknown, entry: JournalEntry) => void;

/** Bodies up to this many bytes are not worth counting: the number of entries bounds them. */
const SMALL_BODY = 4096;
type Hit = ReturnType<RouteTable<Operation>["find"]>;
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: JournalEntry;
  readonly owner: TokenOwner;
  readonly hit: Hit;
  readonly token: string | undefined;
}

/**
 * The simulated API on the wire. A call's way: journal entry on receipt, token, sandbox, faults, checks,
 * the operation in one synchronous turn, answer, journal entry closed. Deliveries follow on their own.
 */
export class ApiApp {
  readonly #routes = new RouteTable<Operation>();
  readonly #registry: SandboxRegistry;
  readonly #pipeline: Pipeline;
  readonly #report: ReportFailure;

  constructor(registry: SandboxRegistry, report: ReportFailure) {
    this.#registry = registry;
    this.#report = report;
    this.#pipeline = new Pipeline(new RequestValidator(), { graphql: new GraphqlRunner() });
    for (const operation of OPERATIONS) this.#routes.add(operation.method, operation.path, operation);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (isPreflight(request)) {
      const headers = this.#preflightHeaders(request);
      if (headers !== undefined) return void response.writeHead(204, headers).end();
    }
    const { path, query } = splitTarget(request.url as string);
    const header = request.headers.token;
    const token = typeof header === "string" ? header : undefined;
    const owner = this.#registry.ownerOf(token);
    const { run } = owner;
    const method = request.method as string;
    const hit = this.#routes.find(method, path);
    const by = request.headers[CALL_MAKER_HEADER] === "scenario" ? "scenario" : "client";
    const { journal, clock, calls } = run;
    const entry = new JournalEntry(
      journal.nextId(),
      clock.now(),
      by,
      method,
      path,
      token ?? null,
      query,
      request.rawHeaders,
    );
    if (hit !== undefined && "route" in hit) entry.operation = hit.route.id;
    entry.ownToken = owner.token;
    journal.add(entry);
    calls.enter();
    const exchange = { request, response, entry, owner, hit, token };
    if (!hasBody(request)) return this.#withBody(exchange, "none");
    response.on("close", () => this.#close(exchange));
    readBody(request, run.behaviour.values["limits.bodyBytes"], (body) => {
      if (body !== undefined && body.length > SMALL_BODY) journal.weigh(entry, body.length);
      this.#withBody(
        exchange,
        body === undefined ? "too large" : body.length === 0 ? "none" : parseJson(body),
      );
    });
  }

  /** A preflight bears no token: it may go on where any sandbox lets its origin in; the answer itself is that sandbox's. */
  #preflightHeaders(request: IncomingMessage): string[] | undefined {
    for (const { run } of this.#registry.all()) {
      const headers = corsHeaders(request, run.behaviour.values["cors.origins"]);
      if (headers.length > 0) return headers;
    }
    return undefined;
  }

  #withBody(exchange: Exchange, body: ParsedJson | "none" | "too large"): void {
    if (exchange.owner.run.signal.aborted) return this.#drop(exchange);
    const { entry, owner } = exchange;
    if (typeof body === "object") entry.body = body.problem === undefined ? body.value : body.text;
    entry.received = true;
    owner.run.journal.changed(entry);
    const { faults } = owner.run;
    const fault = faults.active ? faults.pick("request", entry) : undefined;
    if (fault === undefined) this.#serve(exchange, body, undefined);
    else if (fault.delayMs > 0) this.#serveLater(exchange, body, fault);
    else this.#serve(exchange, body, fault);
  }

  /** Serves a call when a fault's delay is over, or hangs up as soon as its run is closed. */
  #serveLater(exchange: Exchange, body: ParsedJson | "none" | "too large", fault: FaultAction): void {
    const serve = () => {
      delay.cancel();
      unsubscribe();
      this.#serve(exchange, body, fault);
    };
    const delay = later(fault.delayMs, serve, { background: true });
    const unsubscribe = onAbort(exchange.owner.run.signal, serve);
  }

  #serve(exchange: Exchange, body: ParsedJson | "none" | "too large", fault: FaultAction | undefined): void {
    const { owner } = exchange;
    if (fault?.drop === "before" || exchange.owner.run.signal.aborted) return this.#drop(exchange);
    const behaviour = owner.run.behaviour.values;
    if (fault?.tokenExpired) return this.#send(exchange, answerTo("auth.invalid", {}, behaviour), fault);
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
    body: ParsedJson | "none" | "too large",
  ): ApiAnswer | Promise<ApiAnswer> {
    const behaviour = owner.run.behaviour.values;
    const { method, path } = entry;
    if (hit === undefined) return answerTo("http.unknownPath", { method, path }, behaviour);
    if (!("route" in hit)) {
      const allowed = hit.allowed.join(", ");
      return {
        ...answerTo("http.wrongMethod", { method, path, allowed }, behaviour),
        headers: ["Allow", allowed],
      };
    }
    const { route: operation, params } = hit;
    return this.#pipeline.answer({
      owner,
      token,
      entry,
      operation,
      params,
      contentType: request.headers["content-type"],
      body,
    });
  }

  #send(exchange: Exchange, answer: ApiAnswer, fault: FaultAction | undefined): void {
    const { entry, owner, request, response } = exchange;
    if (fault?.drop === "after") return this.#drop(exchange);
    const text = JSON.stringify(answer.body) ?? "null";
    const headers = ["X-Sim-Request", entry.id];
    if (answer.behaviour !== undefined) headers.push("X-Sim-Behaviour", answer.behaviour);
    if (answer.headers !== undefined) headers.push(...answer.headers);
    const { "cors.origins": origins } = owner.run.behaviour.values;
    if (origins.length > 0) headers.push(...corsHeaders(request, origins));
    if (fault?.headers !== undefined) headers.push(...Object.entries(fault.headers).flat());
    entry.close(answer.status, answer.body);
    sendText(response, answer.status, JSON_TYPE, fault?.malformed ? `${text.slice(0, -1)},` : text, headers);
    this.#close(exchange);
  }

  /** Closes the connection in place of an answer. */
  #drop(exchange: Exchange): void {
    exchange.request.socket.destroy();
    this.#close(exchange);
  }

  #fail(exchange: Exchange, error: unknown): void {
    this.#report(error, exchange.entry);
    this.#send(
      exchange,
      { status: 500, body: { error: "The simulator failed: this is a bug in it" } },
      undefined,
    );
  }

  /** Ends the call: its journal entry is complete, and it is no longer on its way. */
  #close({ entry, owner: { run } }: Exchange): void {
    if (entry.settled) return;
    entry.settled = true;
    if (entry.open) entry.close(null, null);
    run.calls.leave();
    this.#registry.totals.countCall(entry);
    run.journal.changed(entry);
  }
}
