/** What each operation may answer, by status: derived from its declaration, for descriptions and for checking answers. */
import { ANSWERS } from "../behaviour/answers.js";
import type { BehaviourKey } from "../behaviour/table.js";
import { PROFILES } from "../behaviour/table.js";
import type { ServiceRefusalKey } from "../domain/refusals.js";
import { serviceRefusal } from "../domain/refusals.js";
import { given } from "../kernel/given.js";
import { isObject } from "../kernel/json.js";
import type { Schema } from "../kernel/schema.js";
import { array, object, string } from "../kernel/schema.js";
import type { Operation } from "./operation.js";

/** One answer that an operation may give. */
export interface PossibleAnswer {
  readonly status: number;
  readonly description: string;
  /** Undefined where the behaviour table decides the body: nothing is promised of it. */
  readonly schema: Schema | undefined;
  readonly example?: unknown;
  /** The entry of the behaviour table behind it. */
  readonly behaviour?: BehaviourKey;
}

const problem = object({ message: string(), property: string({ examples: ["@.email"] }) });

/** Specification: "Validation error shape". */
export const validationErrorSchema = object(
  { body: array(problem), headers: array(problem) },
  { title: "ValidationError" },
);

/** The 400 of a request that is not valid; `errors.validation` decides its form where the specification does not show it. */
const invalidOf = ({ showsInvalid, failure }: Operation): PossibleAnswer => ({
  status: 400,
  description: "Headers or body are not valid",
  schema: validationErrorSchema,
  ...(showsInvalid || failure !== undefined ? {} : { behaviour: "errors.validation" }),
});

/** The refusals that every operation may answer. */
const GENERAL = [
  "auth.missing",
  "auth.invalid",
  "permissions.requiredError",
  "limits.bodyError",
  "limits.rateError",
] as const;

/** Every answer of an operation, ordered by status; several of one status where the specification or the table names several. */
export function possibleAnswers(operation: Operation): PossibleAnswer[] {
  const { success, refusals, permission } = operation;
  const keys = [...GENERAL, ...(permission === undefined ? [] : [permission.refusal]), ...refusals];
  return [successOf(success), invalidOf(operation), ...keys.map(refusalOf)]
    .map((answer) => inForm(operation, answer))
    .sort((a, b) => a.status - b.status);
}

function successOf(success: Operation["success"]): PossibleAnswer {
  if (typeof success !== "string") return { status: 200, description: "Success", schema: success };
  const { question, default: answer } = ANSWERS[success];
  return {
    status: answer.status,
    description: question,
    schema: undefined,
    example: answer.body,
    behaviour: success,
  };
}

function refusalOf(key: ServiceRefusalKey): PossibleAnswer {
  const { when, answer, behaviour } = serviceRefusal(key);
  return {
    status: answer.status,
    description: when,
    schema: behaviour === undefined ? schemaLike(answer.body) : undefined,
    example: answer.body,
    ...given({ behaviour }),
  };
}

/** A refusal in the operation's own form, where the operation has one. */
function inForm({ failure }: Operation, answer: PossibleAnswer): PossibleAnswer {
  if (answer.status < 400 || failure === undefined) return answer;
  const { status, example, behaviour } = answer;
  if (example === undefined) return { ...answer, schema: failure.schema };
  const { body } = failure.write({ status, body: example, behaviour }, PROFILES.documented);
  return { ...answer, schema: failure.schema, example: body };
}

/** The schema of a documented error: its keys, each a text. */
const schemaLike = (body: unknown): Schema =>
  object(Object.fromEntries(Object.keys(isObject(body) ? body : {}).map((key) => [key, string()])));
