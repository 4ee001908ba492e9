import type { BehaviourValues } from "../../behaviour/table.js";
import type { ApiAnswer } from "../answers.js";
import type { Problem } from "../validation/problem.js";

/** GraphQL codes are HTTP statuses with two more digits: 40400, 40300. */
const CODES_PER_STATUS = 100;

/**
 * A refusal in the form of GraphQL: `errors`, each with `path` and `code` as `graphql.errors` says. What the
 * service's validator would have said of it (`body`, `headers`) stays beside them.
 */
export function graphqlFailure(
  { status, body, behaviour: key }: ApiAnswer,
  behaviour: BehaviourValues,
): ApiAnswer {
  const code = status * CODES_PER_STATUS;
  const found = problemsIn(body).map(({ message, property }) => ({
    path: pathOf(property),
    message: `${property} ${message}`,
  }));
  const errors = found.length > 0 ? found : [{ path: [], message: textOf(body) }];
  const coded = behaviour["graphql.errors"] === "coded";
  return {
    status: behaviour["graphql.errorStatus"] === "ok" && status !== 401 ? 200 : status,
    body: {
      errors: errors.map(({ path, message }) => (coded ? { path, message, code } : { message })),
      ...(typeof body === "object" ? body : {}),
    },
    behaviour: key ?? "graphql.errors",
  };
}

function problemsIn(body: unknown): Problem[] {
  const { body: problems = [], headers = [] } = (body ?? {}) as { body?: Problem[]; headers?: Problem[] };
  return Array.isArray(problems) && Array.isArray(headers) ? [...problems, ...headers] : [];
}

const textOf = (body: unknown): string => {
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown };
  return typeof error === "string" ? error : typeof message === "string" ? message : JSON.stringify(body);
};

/** `@.variables.hookId[0]` as a path: variables, hookId, 0. */
const pathOf = (property: string): (string | number)[] =>
  [...property.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, key, index]) =>
    index === undefined ? (key as string) : Number(index),
  );
