/**
 * The order of checks, the same for every operation (contract section 3): path and method, token, permission,
 * rate, size, content type, JSON, schema; what comes after that (existence, access, rules) is the domain's.
 */
import type { Caller } from "../domain/access.js";
import { InvalidInput, Refusal } from "../domain/refusal.js";
import type { Rule, WorldView } from "../domain/transaction.js";
import type { ParsedJson } from "../http/json.js";
import { milliseconds } from "../kernel/duration.js";
import type { Schema } from "../kernel/schema.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { ApiAnswer } from "./answers.js";
import { answerTo, invalid } from "./answers.js";
import { callerOf } from "./authentication.js";
import type { ApiServices, Call, Operation, Reply } from "./operation.js";
import type { Problem } from "./validation/problem.js";
import type { RequestValidator } from "./validation/validator.js";

/** A call as it came in, before any check. */
export interface Incoming {
  readonly owner: TokenOwner;
  readonly token: string | undefined;
  readonly entry: JournalEntry;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  /** The body: none, too large, or parsed. */
  readonly body: ParsedJson | "none" | "too large";
}

/** An answer that a check gave in place of the operation. */
class Answered extends Error {
  constructor(readonly answer: ApiAnswer) {
    super("answered");
  }
}

/** A call that passed every check. */
class CheckedCall implements Call {
  readonly params: Readonly<Record<string, string>>;
  readonly #incoming: Incoming;

  constructor(
    incoming: Incoming,
    readonly caller: Caller,
    readonly services: ApiServices,
    readonly query: unknown,
    readonly body: unknown,
  ) {
    this.params = incoming.params;
    this.#incoming = incoming;
  }

  get view(): WorldView {
    return this.#incoming.owner.run.view();
  }

  readonly run = <Input, Result>(rule: Rule<Input, Result>, input: Input): Result => {
    const { owner, entry } = this.#incoming;
    return owner.run.transact({ id: entry.id, entry }, rule, input);
  };
}

const HEADERS_SECTION = "Authentication";

export class Pipeline {
  readonly #validator: RequestValidator;
  readonly #services: ApiServices;

  constructor(validator: RequestValidator, services: ApiServices) {
    this.#validator = validator;
    this.#services = services;
  }

  /** Takes a call through all checks and through its operation. Never throws for anything that a client can send. */
  answer(incoming: Incoming): ApiAnswer | Promise<ApiAnswer> {
    try {
      const reply = incoming.operation.handle(this.#call(incoming) as never);
      if (reply instanceof Promise) {
        return reply.then((settled) => shown(settled, incoming)).catch((error) => refused(error, incoming));
      }
      return shown(reply, incoming);
    } catch (error) {
      return refused(error, incoming);
    }
  }

  #call(incoming: Incoming): Call {
    const { owner, entry, operation } = incoming;
    const caller = callerOf(owner, incoming.token);
    checkPermission(operation, caller);
    checkRate(incoming, caller);
    checkHeaders(incoming);
    const query = operation.query && this.#check(incoming, operation.query, entry.query, true);
    const body = operation.body && this.#check(incoming, operation.body, bodyOf(incoming), false);
    const refinement = operation.refine?.(body as never);
    if (refinement !== undefined)
      this.#check(incoming, refinement.schema, refinement.value, false, refinement.property);
    if (operation.deprecated !== undefined) owner.run.warn(operation.deprecated, entry);
    return new CheckedCall(incoming, caller, this.#services, query, body);
  }

  /** Checks a part of the request; what was let through beyond the specification becomes a warning. */
  #check(
    { owner, entry, operation }: Incoming,
    schema: Schema,
    value: unknown,
    isQuery: boolean,
    base = "@",
  ): unknown {
    const { values } = owner.run.behaviour;
    const checked = this.#validator.check(schema, value, {
      unknownFields: isQuery ? "ignore" : values["body.unknownFields"],
      numbersAsIds: values["ids.acceptNumbers"] === "accept",
    });
    if (checked.problems.length > 0)
      throw new Answered(invalid(checked.problems.map((problem) => under(base, problem))));
    for (const property of checked.unknownFields) {
      const message = `${property.replace("@", base)} is not a field of this request`;
      owner.run.warn({ code: "unknown-field", message, section: operation.section }, entry);
    }
    for (const property of checked.numberIds) {
      const message = `${property.replace("@", base)} is a number where the specification says string`;
      owner.run.warn({ code: "number-id", message, section: operation.section }, entry);
    }
    return checked.value;
  }
}

const under = (base: string, problem: Problem): Problem =>
  base === "@" ? problem : { ...problem, property: problem.property.replace("@", base) };

function checkPermission({ permission }: Operation, { token }: Caller): void {
  if (permission !== undefined && !token.permissions.includes(permission.name)) {
    throw new Refusal(permission.refusal, { permission: permission.name });
  }
}

function checkRate({ owner: { run } }: Incoming, { token }: Caller): void {
  const limit = run.behaviour.values["limits.rate"];
  if (limit === null) return;
  const wait = run.rates.take(token.id, run.clock.now(), {
    requests: limit.requests,
    per: milliseconds(limit.per),
  });
  if (wait > 0) throw new Refusal("limits.rateError", { retryAfter: Math.ceil(wait / 1000) });
}

/** Size, then what the headers declare, then whether the body is JSON. */
function checkHeaders({ owner: { run }, entry, operation, contentType, body }: Incoming): void {
  if (body === "too large")
    throw new Refusal("limits.bodyError", { limit: run.behaviour.values["limits.bodyBytes"] });
  const declared = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (body !== "none" && declared !== "application/json")
    throw new Answered(invalid([], [contentTypeProblem(declared)]));
  if (operation.method === "GET" && body === "none" && declared !== "application/json") {
    if (run.behaviour.values["headers.contentTypeOnGet"] === "require") {
      throw new Answered(invalid([], [contentTypeProblem(declared)]));
    }
    const message =
      "a GET without the header Content-Type: application/json, which the specification asks of every request";
    run.warn({ code: "no-content-type", message, section: HEADERS_SECTION }, entry);
  }
  if (body !== "none" && body.problem !== undefined) {
    throw new Answered(invalid([{ property: "@", message: body.problem }]));
  }
}

const contentTypeProblem = (declared: string | undefined): Problem => ({
  property: "@.content-type",
  message:
    declared === undefined
      ? "is missing and not optional"
      : `must be equal to "application/json", but is equal to "${declared}"`,
});

/** A call without a body is one without any field. */
const bodyOf = ({ body }: Incoming): unknown =>
  typeof body === "object" && body.problem === undefined ? body.value : {};

function shown(reply: Reply, { owner, operation, entry }: Incoming): ApiAnswer {
  if ("answer" in reply) {
    return answerTo(
      reply.answer,
      { request: entry.body, operation: operation.id, ...reply.scope },
      owner.run.behaviour.values,
    );
  }
  return { status: reply.status ?? 200, body: reply.body, behaviour: reply.behaviour };
}

function refusal({ key, scope }: Refusal, { owner, entry, operation }: Incoming): ApiAnswer {
  const answer = answerTo(
    key,
    { request: entry.body, operation: operation.id, ...scope },
    owner.run.behaviour.values,
  );
  return key === "limits.rateError"
    ? { ...answer, headers: ["Retry-After", String(scope.retryAfter)] }
    : answer;
}

/** The answer to what a check or a rule threw, in the operation's own form where it has one. */
function refused(error: unknown, incoming: Incoming): ApiAnswer {
  const { owner, operation } = incoming;
  const behaviour = owner.run.behaviour.values;
  const answer =
    error instanceof Answered
      ? error.answer
      : error instanceof InvalidInput
        ? invalid(error.problems)
        : error instanceof Refusal
          ? refusal(error, incoming)
          : undefined;
  if (answer === undefined) throw error;
  return operation.failed?.(answer, behaviour) ?? answer;
}
