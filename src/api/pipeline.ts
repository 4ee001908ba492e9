/**
 * The order of checks, the same for every operation (contract section 3): path and method, token, permission,
 * rate, size, content type, JSON, schema; what comes after that (existence, access, rules) is the domain's.
 */

import type { Schema } from "../kernel/schema.js";
import { andMore } from "../kernel/words.js";
import type { FaultEffect } from "../sandbox/faults.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import { InvalidInput, Refusal } from "../service/domain/refusal.js";
import { isServiceRefusal } from "../service/domain/refusals.js";
import type { Rule, WorldView } from "../service/domain/transaction.js";
import type { ApiAnswer } from "./answers.js";
import { decidedAnswer, invalid, refusalAnswer } from "./answers.js";
import { callerOf } from "./authentication.js";
import type { Incoming } from "./checks.js";
import {
  checkBody,
  checkPermission,
  checkRate,
  InvalidRequest,
  notePath,
  queryFor,
  valuesFor,
} from "./checks.js";
import type { Call, Operation, Success } from "./operation.js";
import { inFormOf } from "./operation.js";
import type { CheckOptions } from "./validation/inspection.js";
import { RequestValidator } from "./validation/validator.js";

/** A call that passed every check. */
class CheckedCall implements Call {
  readonly params: Readonly<Record<string, string>>;
  readonly #incoming: Incoming;

  constructor(
    incoming: Incoming,
    readonly caller: Caller,
    readonly query: unknown,
    readonly body: unknown,
  ) {
    this.params = incoming.params;
    this.#incoming = incoming;
  }

  get view(): WorldView {
    return this.#incoming.owner.run.view(valuesFor(this.#incoming));
  }

  readonly run = <Input, Result>(rule: Rule<Input, Result>, input: Input): Result => {
    const { owner, entry } = this.#incoming;
    return owner.run.transact({ id: entry.id, entry }, rule, input);
  };
}

export class Pipeline {
  readonly #validator = new RequestValidator();

  /** Takes a call through all checks and through its operation. Never throws for anything that a client can send. */
  answer(incoming: Incoming): ApiAnswer | Promise<ApiAnswer> {
    try {
      const success = incoming.operation.handle(this.#checked(incoming));
      if (!(success instanceof Promise)) return successAnswer(success, incoming);
      return success
        .then((settled) => successAnswer(settled, incoming))
        .catch((error) => failureAnswer(error, incoming));
    } catch (error) {
      return failureAnswer(error, incoming);
    }
  }

  #checked(incoming: Incoming): Call {
    const { owner, entry, operation } = incoming;
    const values = valuesFor(incoming);
    const caller = callerOf(owner, incoming.token, values);
    checkPermission(operation, caller, values);
    checkRate(owner, caller, values);
    notePath(incoming);
    const raw = checkBody(incoming, values);
    const parameters = queryFor(incoming, values);
    const query = operation.query && this.#valid(incoming, operation.query, parameters, "ignore");
    const { "body.unknownFields": unknownFields } = values;
    const body = operation.body && this.#valid(incoming, operation.body, raw, unknownFields);
    const part = operation.refine?.(body);
    if (part !== undefined) this.#valid(incoming, part.schema, part.value, unknownFields, part.property);
    if (operation.deprecated !== undefined) owner.run.logs.warn(operation.deprecated, entry);
    return new CheckedCall(incoming, caller, query, body);
  }

  /** Checks the part of the request at `base`; what is let through beyond the specification becomes a warning. */
  #valid(
    incoming: Incoming,
    schema: Schema,
    value: unknown,
    unknownFields: CheckOptions["unknownFields"],
    base = "@",
  ): unknown {
    const { owner, entry, operation } = incoming;
    const { run } = owner;
    const { section } = operation;
    const values = valuesFor(incoming);
    const checked = this.#validator.check(schema, value, {
      unknownFields,
      numbersAsIds: values["ids.acceptNumbers"] === "accept",
      nullFields: nullFieldsOf(operation, values),
      emailFormat: values["widget.emailFormat"],
      insecureUrls: values["webhooks.insecureUrls"],
    });
    const located = (property: string) => (base === "@" ? property : property.replace("@", base));
    if (checked.problems.length > 0)
      throw new InvalidRequest(
        checked.problems.map(({ message, property }) => ({ message, property: located(property) })),
        [],
        checked.decidedBy,
      );
    const warn = (code: string, message: string) => run.logs.warn({ code, message, section }, entry);
    for (const property of checked.unknownFields)
      warn("unknown-field", `${located(property)} is not a field of this request`);
    for (const property of checked.numberIds)
      warn("number-id", `${located(property)} is a number where the specification says string`);
    for (const property of checked.nulls)
      warn(
        "null-field",
        `${located(property)} is null, of which the specification says nothing: it counts as left out`,
      );
    if (checked.moreProperties > 0) warn("more-warnings", andMore(checked.moreProperties));
    return checked.value;
  }
}

/** What null in a body field is; GraphQL has an entry of its own. */
function nullFieldsOf({ failure }: Operation, values: BehaviourValues): CheckOptions["nullFields"] {
  const key = failure === undefined ? "body.nullFields" : "graphql.nullFields";
  return {
    key,
    get treatment() {
      return values[key];
    },
  };
}

/** What placeholders of an answer may name, beside what the operation or refusal gives. */
const scopeOf = ({ entry, operation }: Incoming, scope: object) => ({
  request: entry.body,
  operation: operation.id,
  ...scope,
});

function successAnswer(success: Success, incoming: Incoming): ApiAnswer {
  if (!("answer" in success))
    return {
      status: success.status ?? 200,
      body: success.body,
      behaviour: success.behaviour,
      outcome: "success",
    };
  return decidedAnswer(success.answer, scopeOf(incoming, success.scope), valuesFor(incoming), "success");
}

/** A 400 for a request that is not valid, in the form that the specification or `errors.validation` says. */
function invalidAnswer(
  { showsInvalid, failure }: Pick<Operation, "showsInvalid" | "failure">,
  { body, headers, behaviour }: Pick<InvalidRequest, "body" | "headers" | "behaviour">,
  { "errors.validation": form }: BehaviourValues,
): ApiAnswer {
  if (showsInvalid || failure !== undefined) return { ...invalid(body, headers), behaviour };
  const decided = behaviour ?? "errors.validation";
  if (form === "validator") return { ...invalid(body, headers), behaviour: decided };
  const texts = [...body, ...headers].map(({ property, message }) => `${property} ${message}`);
  return { status: 400, body: { error: texts.join("; ") }, behaviour: decided, outcome: "invalid" };
}

/** The answer of an operation that refuses a call although nothing is wrong with it. */
export function refusedAnswer(
  refusal: NonNullable<FaultEffect["refusal"]>,
  operation: Operation | undefined,
  values: BehaviourValues,
  scope: Refusal["scope"] = {},
): ApiAnswer {
  const problem = { property: "@", message: "is refused by a fault" };
  const answer =
    refusal === "invalid"
      ? invalidAnswer(operation ?? { showsInvalid: true }, new InvalidRequest([problem]), values)
      : refusalAnswer(refusal, scope, values);
  return inFormOf(operation, answer, values);
}

/** The answer to what a check or a rule threw, in the operation's own form where it has one. */
function failureAnswer(error: unknown, incoming: Incoming): ApiAnswer {
  const { operation } = incoming;
  const values = valuesFor(incoming);
  let answer: ApiAnswer;
  if (error instanceof InvalidRequest) answer = invalidAnswer(operation, error, values);
  else if (error instanceof InvalidInput)
    answer = invalidAnswer(
      operation,
      { body: error.problems, headers: [], behaviour: error.behaviour },
      values,
    );
  else if (error instanceof Refusal && isServiceRefusal(error.key))
    answer = {
      behaviour: error.behaviour,
      ...refusalAnswer(error.key, scopeOf(incoming, error.scope), values),
    };
  else throw error;
  return inFormOf(operation, answer, values);
}
