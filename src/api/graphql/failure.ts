import { isObject } from "../../kernel/json.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import type { ApiAnswer } from "../answers.js";
import type { Problem } from "../validation/problem.js";

/** GraphQL codes are HTTP statuses with two more digits: 40400, 40300. */
const CODES_PER_STATUS = 100;

/**
 * A refusal in the form of GraphQL: `errors`, each with `path` and `code` where `graphql.errors` is `coded`, and nothing
 * else: GraphQL allows no other key beside `errors` than `data` and `extensions`.
 */
export function graphqlFailure(
  { status, body: content, behaviour: key, outcome }: ApiAnswer,
  behaviour: BehaviourValues,
): ApiAnswer {
  const code = status * CODES_PER_STATUS;
  const body = isObject(content) ? content : {};
  const found = [...problemsIn(body.body), ...problemsIn(body.headers)].map(({ message, property }) => ({
    path: pathOf(property),
    message: `${property} ${message}`,
  }));
  const errors = found.length > 0 ? found : [{ path: [], message: textOf(content, body) }];
  const coded = behaviour["graphql.errors"] === "coded";
  return {
    status: behaviour["graphql.errorStatus"] === "ok" && status !== 401 ? 200 : status,
    body: { errors: errors.map(({ path, message }) => (coded ? { path, message, code } : { message })) },
    behaviour: key ?? "graphql.errors",
    outcome,
  };
}

const isProblem = (value: unknown): value is Problem =>
  isObject(value) && typeof value.message === "string" && typeof value.property === "string";

const problemsIn = (list: unknown): Problem[] => (Array.isArray(list) ? list.filter(isProblem) : []);

const textOf = (content: unknown, { error, message }: Readonly<Record<string, unknown>>): string =>
  typeof error === "string" ? error : typeof message === "string" ? message : JSON.stringify(content);

/** `@.variables.hookId[0]` as a path: variables, hookId, 0. */
const pathOf = (property: string): (string | number)[] =>
  [...property.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, key = "", index]) =>
    index === undefined ? key : Number(index),
  );
