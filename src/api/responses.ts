/** What each operation may answer, by status: derived from its declaration, for descriptions and for checking answers. */
import type { Answer } from "../behaviour/entry.js";
import type { AnswerKey } from "../behaviour/table.js";
import { BEHAVIOUR_TABLE, PROFILES } from "../behaviour/table.js";
import type { RefusalKey } from "../domain/refusal.js";
import type { Schema } from "../kernel/schema.js";
import { array, object, string } from "../kernel/schema.js";
import { DOCUMENTED_ANSWERS } from "./answers.js";
import type { Operation } from "./operation.js";

/** One answer that an operation may give. */
export interface PossibleAnswer {
  readonly status: number;
  readonly description: string;
  /** Undefined where the behaviour table decides the body: nothing is promised of it. */
  readonly schema: Schema | undefined;
  readonly example?: unknown;
  /** The entry of the behaviour table behind it. */
  readonly behaviour?: AnswerKey;
}

const problem = object({ message: string(), property: string({ examples: ["@.email"] }) });

/** Specification: "Validation error shape". */
export const validationErrorSchema = object(
  { body: array(problem), headers: array(problem) },
  { title: "ValidationError" },
);

const ALWAYS: readonly RefusalKey[] = [
  "auth.missing",
  "auth.invalid",
  "limits.bodyError",
  "limits.rateError",
];

/** Every answer of an operation, ordered by status; several of one status where the specification or the table names several. */
export function possibleAnswers(operation: Operation): PossibleAnswer[] {
  const { success, refusals, permission } = operation;
  const ok: PossibleAnswer =
    typeof success === "string"
      ? fromTable(success)
      : { status: 200, description: "Success", schema: success };
  const invalid = {
    status: 400,
    description: "Headers or body are not valid",
    schema: validationErrorSchema,
  };
  const keys = [...ALWAYS, ...(permission === undefined ? [] : [permission.refusal]), ...refusals];
  const answers = [ok, invalid, ...keys.map(answerOf)].map((answer) => inForm(operation, answer));
  return answers.sort((a, b) => a.status - b.status);
}

/** A refusal as an operation with a form of its own says it. */
function inForm({ failure, failed }: Operation, answer: PossibleAnswer): PossibleAnswer {
  if (answer.status < 400 || failure === undefined || failed === undefined) return answer;
  const { status, example, behaviour } = answer;
  if (example === undefined) return { ...answer, schema: failure };
  const { body } = failed({ status, body: example, behaviour }, PROFILES.documented);
  return { ...answer, schema: failure, example: body };
}

function answerOf(key: RefusalKey): PossibleAnswer {
  const documented = DOCUMENTED_ANSWERS[key];
  if (documented === undefined) return fromTable(key as AnswerKey);
  return {
    status: documented.status,
    description: documented.when,
    schema: schemaLike(documented.body),
    example: documented.body,
  };
}

function fromTable(key: AnswerKey): PossibleAnswer {
  const { default: standard, question } = BEHAVIOUR_TABLE[key] as { default: Answer; question: string };
  return {
    status: standard.status,
    description: question,
    schema: undefined,
    example: standard.body,
    behaviour: key,
  };
}

/** The schema of a documented error: its keys, each a text. */
const schemaLike = (body: unknown): Schema =>
  object(Object.fromEntries(Object.keys(body as object).map((key) => [key, string()])));
