/** Answers that tables declare: documented bodies to the letter, all others from the behaviour table. */
import type { Answer } from "../service/behaviour/entry.js";
import type { Scope } from "../service/behaviour/placeholders.js";
import { filled } from "../service/behaviour/placeholders.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import { serviceRefusal } from "../service/domain/refusals.js";
import type { Problem } from "./validation/problem.js";

/** What a call comes to: success, a request that is not valid, or a refusal. */
export type Outcome = "success" | "invalid" | ServiceRefusalKey;

/** A whole answer of the simulated API. */
export interface ApiAnswer extends Answer {
  /** The key of the behaviour table that decided it. */
  readonly behaviour?: BehaviourKey | undefined;
  /** Which of the operation's answers it is; none where a fault or a failure of the simulator answers. */
  readonly outcome?: Outcome | undefined;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

/** The answer that an entry of the behaviour table decides, its placeholders filled from `scope`. */
export function decidedAnswer(
  key: AnswerKey,
  scope: Scope,
  values: BehaviourValues,
  outcome: Outcome,
): ApiAnswer {
  const { status, body } = values[key];
  return { status, body: filled(body, scope), behaviour: key, outcome };
}

/** The answer to a refusal. A refusal with `retryAfter` in its scope, in seconds, sends the header too. */
export function refusalAnswer(key: ServiceRefusalKey, scope: Scope, values: BehaviourValues): ApiAnswer {
  const { answer: documented, behaviour } = serviceRefusal(key);
  const answer =
    behaviour === undefined
      ? { status: documented.status, body: filled(documented.body, scope), outcome: key }
      : decidedAnswer(behaviour, scope, values, key);
  return scope.retryAfter === undefined
    ? answer
    : { ...answer, headers: ["Retry-After", String(scope.retryAfter)] };
}

/** The shape of the service's validator (specification: "Validation error shape"). */
export const invalid = (body: readonly Problem[], headers: readonly Problem[] = []): ApiAnswer => ({
  status: 400,
  body: { body, headers },
  outcome: "invalid",
});
