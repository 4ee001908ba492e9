/** Answers of the simulated API: documented bodies verbatim, all others from the behaviour table. */
import { BOUNDS } from "../kernel/bounds.js";
import { jsonLength } from "../kernel/json.js";
import { sizeText } from "../kernel/units.js";
import type { Scope } from "../service/behaviour/entry.js";
import { filled } from "../service/behaviour/entry.js";
import type { AnswerKey, BehaviourValues } from "../service/behaviour/table.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import { InvalidInput, isServiceRefusal, Refusal, serviceRefusal } from "../service/domain/refusals.js";
import type { IncomingCall, Operation, OutcomeName, ServiceAnswer, Success } from "./operation.js";

/** The answer that a behaviour entry defines, with its placeholders filled from `scope`. */
function decidedAnswer(
  key: AnswerKey,
  scope: Scope,
  values: BehaviourValues,
  outcome: OutcomeName,
): ServiceAnswer {
  const { status, body: template } = values[key];
  let left = BOUNDS.filledBytes.limit;
  const body = filled(template, scope, (value) => {
    if (left >= 0) left -= jsonLength(value);
    return left >= 0;
  });
  const error = `the placeholders of ${key} hold more than ${sizeText(BOUNDS.filledBytes.limit)}`;
  return { status, body: left < 0 ? { error } : body, behaviour: key, outcome };
}

/** The answer to a refusal. If its scope has `retryAfter`, in seconds, the header is sent too. */
export function refusalAnswer(key: ServiceRefusalKey, scope: Scope, values: BehaviourValues): ServiceAnswer {
  const { answer: documented, behaviour } = serviceRefusal(key);
  const answer =
    behaviour === undefined
      ? { status: documented.status, body: filled(documented.body, scope), outcome: key }
      : decidedAnswer(behaviour, scope, values, key);
  return scope.retryAfter === undefined
    ? answer
    : { ...answer, headers: ["Retry-After", String(scope.retryAfter)] };
}

/** Placeholders that any answer may use, besides those of the operation or refusal. */
const scopeOf = ({ entry, operation }: IncomingCall, scope: object) => ({
  request: entry.body,
  operation: operation.id,
  ...scope,
});

export function successAnswer(success: Success, call: IncomingCall): ServiceAnswer {
  if ("answer" in success)
    return decidedAnswer(success.answer, scopeOf(call, success.scope), call.values, "success");
  const { status = 200, body } = success;
  const { otherStatus, decidedBy } = call.operation;
  const behaviour =
    status === otherStatus?.status
      ? otherStatus.behaviour
      : decidedBy?.find((key) => call.consulted.includes(key));
  return { status, body, behaviour, outcome: "success" };
}

export const inFormOf = (
  operation: Operation | undefined,
  answer: ServiceAnswer,
  values: BehaviourValues,
): ServiceAnswer => operation?.failure?.write(answer, values) ?? answer;

/** The answer to an error of a check or rule, in the operation's own form if it has one. */
export function failureAnswer(error: unknown, call: IncomingCall): ServiceAnswer {
  const { operation, values } = call;
  const form = (answer: ServiceAnswer) => inFormOf(operation, answer, values);
  if (error instanceof InvalidInput) {
    const { problems: body, headers, behaviour } = error;
    // Specification: "Validation error shape".
    return form({ status: 400, body: { body, headers }, behaviour, outcome: "invalid" });
  }
  if (!(error instanceof Refusal && isServiceRefusal(error.key))) throw error;
  const { key, scope, behaviour } = error;
  return form({ behaviour, ...refusalAnswer(key, scopeOf(call, scope), values) });
}
