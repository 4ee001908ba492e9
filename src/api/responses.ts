/** The possible answers of each operation, by status, derived from its declaration: for descriptions and for checking answers. */

import { isObject } from "../kernel/json.js";
import type { Schema } from "../kernel/schema.js";
import { array, object, string } from "../kernel/schema.js";
import { ANSWERS } from "../service/behaviour/answers.js";
import type { AnswerTemplate } from "../service/behaviour/entry.js";
import type { BehaviourKey } from "../service/behaviour/table.js";
import { PROFILES } from "../service/behaviour/table.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import { serviceRefusal } from "../service/domain/refusals.js";
import type { Operation, OutcomeName } from "./operation.js";

export interface PossibleAnswer {
  /** The outcome; omitted for an alternative form of one. */
  readonly outcome?: OutcomeName;
  readonly section: string;
  readonly status: number;
  readonly description: string;
  /** The body; if a behaviour entry decides it, its default form. */
  readonly schema: Schema;
  readonly example?: unknown;
  /** The behaviour entry that decides it. */
  readonly behaviour?: BehaviourKey | undefined;
}

const problem = object({ message: string(), property: string({ examples: ["@.email"] }) });

export const validationErrorSchema = object(
  { body: array(problem), headers: array(problem) },
  { title: "ValidationError" },
);

/** The 400 for an invalid request. */
const INVALID: PossibleAnswer = {
  outcome: "invalid",
  section: "Errors / Validation error shape",
  status: 400,
  description: "Headers or body are not valid",
  schema: validationErrorSchema,
};

const GENERAL = [
  "auth.missing",
  "auth.invalid",
  "permissions.requiredError",
  "http.unknownEncoding",
  "limits.bodyError",
  "limits.rateError",
  "limits.overloadError",
] as const;

/** All answers of an operation, ordered by status; a status may appear several times. */
export function possibleAnswers(operation: Operation): PossibleAnswer[] {
  const { refusals, permission } = operation;
  const keys = [...GENERAL, ...(permission === undefined ? [] : [permission.refusal]), ...refusals];
  return [successOf(operation), ...othersOf(operation), INVALID, ...keys.map(refusalOf)]
    .map((answer) => inForm(operation, answer))
    .sort((a, b) => a.status - b.status);
}

/** Describes an answer by its example. */
const likeExample = ({ status, body }: AnswerTemplate) => ({
  status,
  schema: schemaLike(body),
  example: body,
});

function successOf({ section, success, decidedBy = [] }: Operation): PossibleAnswer {
  const common = { outcome: "success", section } as const;
  if (typeof success !== "string") {
    // Of several entries, none decides every success.
    const behaviour = decidedBy.length === 1 ? decidedBy[0] : undefined;
    return { ...common, status: 200, description: "Success", schema: success, behaviour };
  }
  const { question, default: answer } = ANSWERS[success];
  return { ...common, ...likeExample(answer), description: question, behaviour: success };
}

/** The answers that only another value of a behaviour entry gives. */
function othersOf({ section, success, otherStatus, failure }: Operation): PossibleAnswer[] {
  if (failure !== undefined) {
    const description = "Any refusal except that of the token, if `graphql.errorStatus` is `ok`";
    return [{ section, status: 200, description, schema: failure.schema, behaviour: "graphql.errorStatus" }];
  }
  if (otherStatus === undefined || typeof success === "string") return [];
  return [{ section, ...otherStatus, description: "Success", schema: success }];
}

function refusalOf(key: ServiceRefusalKey): PossibleAnswer {
  const { when, section, answer, behaviour } = serviceRefusal(key);
  return { outcome: key, section, ...likeExample(answer), description: when, behaviour };
}

function inForm({ failure }: Operation, answer: PossibleAnswer): PossibleAnswer {
  if (answer.status < 400 || failure === undefined) return answer;
  const { status, example, behaviour } = answer;
  if (example === undefined) return { ...answer, schema: failure.schema, behaviour: "graphql.errors" };
  const { body } = failure.write({ status, body: example, behaviour }, PROFILES.documented);
  return { ...answer, schema: failure.schema, example: body };
}

const errorSchema = object({ error: string() }, { title: "ApiError" });

/** A schema derived from an example answer; an empty example promises nothing. */
function schemaLike(body: unknown): Schema {
  const keys = Object.keys(isObject(body) ? body : {});
  if (keys.length === 0) return object({}, { additionalProperties: true });
  if (keys.join() === "body,headers") return validationErrorSchema;
  if (keys.join() === "error") return errorSchema;
  return object(Object.fromEntries(keys.map((key) => [key, string()])));
}
