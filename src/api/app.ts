import type { IncomingMessage, ServerResponse } from "node:http";
import { runSafely } from "../kernel/errors.js";
import type { Admission } from "../kernel/http/admission.js";
import { fullness, RETRY_AFTER_S } from "../kernel/http/admission.js";
import { FAILURE, sendJson } from "../kernel/http/answer.js";
import { hasBody, readBody } from "../kernel/http/body.js";
import { routeTable } from "../kernel/http/endpoint.js";
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
import type { SandboxRegistry } from "../sandbox/registry.js";
import { idInToken } from "../sandbox/registry.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/saver.js";
import type { Refusal } from "../service/domain/refusals.js";
import { failureAnswer, inFormOf, refusalAnswer, successAnswer } from "./answers.js";
import { checked, hasOtherEnd } from "./checks.js";
import type { Incoming } from "./exchange.js";
import { corsHeaders, Exchange, faultAnswer, isPreflight, operationOf, RepeatedHeaders } from "./exchange.js";
import type { ApiAnswer, Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import { RequestValidator } from "./validation/validator.js";

interface ApiContext {
  readonly registry: SandboxRegistry;
  readonly names: HostNames;
  readonly load: Admission;
  readonly report: (error: unknown, entry: JournalEntry) => void;
  /** The answer to calls whose sandbox is held by another process. */
  readonly elsewhere: ApiAnswer;
  /** If processes share sandboxes: undefined if the sandbox is open here, otherwise a promise that it is or does not exist. */
  readonly opened?: ((id: string) => Promise<void> | undefined) | undefined;
}

export class ApiApp {
  readonly #routes = routeTable<Operation>(OPERATIONS);
  readonly #validator = new RequestValidator();
  readonly #headers = new RepeatedHeaders();
  readonly #counters: Exchange["counters"];
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    const { load, registry } = context;
    this.#context = context;
    this.#counters = { load, totals: registry.totals };
  }

  /** Answers a call, once its sandbox is open in this process. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { registry, opened } = this.#context;
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
        const { values } = registry.default.run.behaviour;
        const refusal = this.#unavailable(error, (scope) =>
          this.formed(refusalAnswer("store.unavailable", scope, values), method, url),
        );
        const { status, body, headers } = refusal ?? { status: 500, body: FAILURE, headers: [] };
        sendJson(response, status, body, headers);
      });
  }

  /** An answer outside of any sandbox, in the form of the called operation. */
  formed(answer: ApiAnswer, method: string, target: string): ApiAnswer {
    const operation = operationOf(this.#routes.find(method, splitTarget(target).path));
    return inFormOf(operation, answer, this.#context.registry.default.run.behaviour.values);
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    if (isPreflight(request) && this.#context.names.reboundOf(request) === undefined)
      // A preflight has no token: the first sandbox that allows the origin decides.
      for (const { run } of this.#context.registry.all()) {
        const headers = corsHeaders(request, run.behaviour.values["cors.origins"]);
        if (headers.length > 0) return void response.writeHead(204, headers).end();
      }
    const exchange = this.#receive(request, response);
    this.#serve(exchange).catch((thrown) =>
      this.#fail(exchange, thrown).catch((error) => this.#context.report(error, exchange.entry)),
    );
  }

  /**
   * The journey of a call from receipt to answer: body, faults, checks, the operation in one synchronous transaction, answer.
   * Deliveries follow on their own.
   */
  async #serve(exchange: Exchange): Promise<void> {
    const { entry, request, owner } = exchange;
    const { logs, faults, signal } = owner.run;
    const { names, load } = this.#context;
    let excess = load.excess(request);
    load.calls += 1;
    if (excess === undefined && hasBody(request)) excess = await this.#readBody(exchange);
    if (excess !== undefined) return this.#refuse(exchange, excess);
    if (signal.aborted) return this.#ended(exchange);

    entry.receive(typeof exchange.body === "object" ? exchange.body : undefined);
    logs.journal.changed(entry);
    const host = names.reboundOf(request);
    if (host !== undefined) {
      const scope = { host, name: nameOf(host) };
      return this.#send(exchange, refusalAnswer("http.unknownHost", scope, exchange.values), undefined);
    }

    const fault = faults.active ? faults.pick("request", entry) : undefined;
    entry.fault = fault?.rule;
    if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, signal).catch(() => {});
    if (fault?.drop === "before") return exchange.drop();
    if (signal.aborted) return this.#ended(exchange);

    const answer = faultAnswer(exchange, fault) ?? answerTo(exchange, this.#validator);
    return this.#send(exchange, answer instanceof Promise ? await answer : answer, fault);
  }

  /** Adds a call to the journal of the sandbox that its token belongs to. */
  #receive(request: IncomingMessage, response: ServerResponse): Exchange {
    // Node sets method and target on every request that a server receives.
    const { method = "", url = "", rawHeaders } = request;
    const { path, query } = splitTarget(url);
    const token = tokenOf(request);
    const owner = this.#context.registry.ownerOf(addressOf(request));
    const { logs, clock, calls } = owner.run;
    const hit = this.#routes.find(method, path);
    const operation = operationOf(hit);
    const by = isByScenario(request) ? "scenario" : "client";
    const id = logs.journal.nextId();
    const headers = this.#headers.shared(operation?.id, rawHeaders);
    const entry = new JournalEntry(id, clock.now(), by, method, path, token ?? null, query, headers);
    entry.operation = operation?.id ?? null;
    entry.ownToken = owner.token;
    logs.journal.add(entry);
    calls.enter();
    return new Exchange(request, response, entry, owner, token, hit, this.#counters);
  }

  /** Reads the body, or returns the reason if too many bodies are in flight. Never resolves if the client disconnects first. */
  #readBody(exchange: Exchange): Promise<string | undefined> {
    const { request, response, owner, values } = exchange;
    response.on("close", () => runSafely(owner.run.report, () => exchange.close()));
    const { bodies: pool } = this.#context.load;
    return new Promise((resolve) =>
      readBody(request, { limit: values["limits.bodyBytes"], pool, response }, (body) => {
        if (body === "too much") return resolve(fullness(pool));
        exchange.body = body;
        resolve(undefined);
      }),
    );
  }

  /** Sends an answer, at once or when the changes that it reports are as durable as promised. */
  #send(exchange: Exchange, answer: ApiAnswer, fault: FaultAction | undefined): Promise<void> | undefined {
    if (fault?.drop === "after") {
      exchange.entry.lostStatus = answer.status;
      return void exchange.drop();
    }
    const kept = exchange.owner.run.saver.settled(exchange.changesBefore);
    if (kept === undefined) return void exchange.respond(answer, fault);
    return kept.then(
      () => exchange.respond(answer, fault),
      (error: unknown) => {
        const refusal = this.#unavailable(error, (scope) => exchange.refusal("store.unavailable", scope));
        if (refusal === undefined) throw error;
        exchange.respond(refusal, fault);
      },
    );
  }

  /** Refuses a call that exceeds the limits on concurrent work, in the form of its operation. */
  #refuse(exchange: Exchange, reason: string): Promise<void> | undefined {
    const { load } = this.#context;
    load.refused += 1;
    const formed = exchange.refusal("limits.overloadError", { reason, retryAfter: RETRY_AFTER_S });
    const closing = load.isLate(exchange.request) ? ["Connection", "close"] : [];
    return this.#send(exchange, { ...formed, headers: [...(formed.headers ?? []), ...closing] }, undefined);
  }

  /** The answer if the store has moved a sandbox to another process, or cannot save a change now; undefined for any other error. */
  #unavailable(error: unknown, refusal: (scope: Refusal["scope"]) => ApiAnswer): ApiAnswer | undefined {
    if (error instanceof LeaseHeldElsewhereError) return this.#context.elsewhere;
    return error instanceof PersistenceUnavailableError ? refusal(error.scope) : undefined;
  }

  /** Answers a call whose run has ended: if the sandbox moved to another process, the call can be retried. */
  #ended(exchange: Exchange): void {
    try {
      exchange.owner.run.saver.check();
    } catch (error) {
      if (error instanceof LeaseHeldElsewhereError)
        return exchange.respond(this.#context.elsewhere, undefined);
    }
    exchange.drop();
  }

  async #fail(exchange: Exchange, error: unknown): Promise<void> {
    const { elsewhere, report } = this.#context;
    if (error instanceof LeaseHeldElsewhereError) return exchange.respond(elsewhere, undefined);
    report(error, exchange.entry);
    return this.#send(exchange, { status: 500, body: FAILURE }, undefined);
  }
}

/** The answer to a call that was received: the operation's, if all checks pass, or a refusal. */
function answerTo(exchange: Exchange, validator: RequestValidator): ApiAnswer | Promise<ApiAnswer> {
  const { entry, operation, allowed, values } = exchange;
  const { method, path } = entry;
  if (allowed !== undefined) {
    const methods = allowed.join(", ");
    const answer = refusalAnswer("http.wrongMethod", { method, path, allowed: methods }, values);
    return { ...answer, headers: ["Allow", methods] };
  }
  const unknown = () => refusalAnswer("http.unknownPath", { method, path }, values);
  if (operation === undefined) return unknown();
  if (values["paths.trailingSlash"] === "reject" && hasOtherEnd(operation, path))
    return { ...unknown(), behaviour: "paths.trailingSlash" };
  const incoming = exchange as Incoming;
  try {
    const success = operation.handle(checked(incoming, validator));
    if (!(success instanceof Promise)) return successAnswer(success, incoming);
    return success
      .then((settled) => successAnswer(settled, incoming))
      .catch((error) => failureAnswer(error, incoming));
  } catch (error) {
    return failureAnswer(error, incoming);
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
