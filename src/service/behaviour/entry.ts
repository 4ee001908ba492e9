import { mapLeaves, valueAt } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Infer, Schema } from "../../kernel/schema.js";
import { array, integer, object, oneOf, optional, string, unknown } from "../../kernel/schema.js";

/** The source of an entry's value: the specification, our own assumption, a need of the simulation, or a measurement. */
export const SOURCES = ["documented", "assumed", "simulator", "observed"] as const;
type ValueSource = (typeof SOURCES)[number];

/** The evidence for an entry's value in the real service. */
export const evidenceSchema = object({
  at: string({ maxLength: 100, description: "the time of the newest call, ISO 8601" }),
  calls: array(
    object({
      scenario: string({ maxLength: 1_000 }),
      step: string({ maxLength: 10_000 }),
      operation: string({ maxLength: 10_000 }),
      at: string({ maxLength: 100 }),
      shows: string({ maxLength: 10_000 }),
    }),
    { maxItems: 100 },
  ),
  value: optional(unknown({ description: "the measured value; default: the file's" })),
});
export type ValueEvidence = Infer<typeof evidenceSchema>;

/** One question that the specification leaves open, with the simulator's answer. */
export interface BehaviourEntry<T = unknown> {
  /** The section of the specification that leaves the question open. */
  readonly section: string;
  readonly question: string;
  readonly schema: Schema<T>;
  /** The value in the profile `documented`: promises nothing beyond the specification. */
  readonly default: T;
  /** The value in the profile `realistic`, if services of this kind usually do more. */
  readonly realistic?: T;
  readonly source: ValueSource;
}

export const entry = <T>(
  fields: Omit<BehaviourEntry<NoInfer<T>>, "schema" | "source"> & { schema: Schema<T>; source?: ValueSource },
): BehaviourEntry<T> => ({ source: "assumed", ...fields });

/** An entry with a few named values, of which the first is the default. */
export const choice = <const V extends readonly string[]>(
  section: string,
  question: string,
  values: V,
  realistic?: V[number],
): BehaviourEntry<V[number]> =>
  entry({
    section,
    question,
    schema: oneOf(values),
    default: values[0] as V[number],
    ...omitUndefined({ realistic }),
  });

/** A complete answer. `${…}` in the body is replaced by values of the call. */
export const answerSchema = object({
  status: integer({ minimum: 200, maximum: 599 }),
  body: unknown({ description: "any JSON; ${…} placeholders are replaced" }),
});
export type AnswerTemplate = Infer<typeof answerSchema>;

export const answer = (
  section: string,
  question: string,
  status: number,
  body: unknown,
): BehaviourEntry<AnswerTemplate> =>
  entry({ section, question, schema: answerSchema, default: { status, body } });

/** A name of limited length. */
export const word = (keywords = {}) => string({ minLength: 1, maxLength: 1_000, ...keywords });

/** The ids of the operations, in the order of the specification; `api/operations` declares each under its id. */
export const OPERATION_IDS = [
  "getCustomerProfile",
  "updateCustomerProfile",
  "deleteUserByEmail",
  "sendMessageToCustomerThread",
  "sendMessageToBusiness",
  "getCustomerThreadDetails",
  "getWhatsappTemplates",
  "updateThreadStatus",
  "createWebhook",
  "listWebhooks",
  "getWebhook",
  "updateWebhook",
  "deleteWebhook",
  "updateHookUrl",
  "graphql",
] as const;
/** An operation of the simulated API, by its id. */
export type OperationId = (typeof OPERATION_IDS)[number];

/** The values of placeholders: what a call created or found. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * A copy of a template with each `${a.b}` replaced by the value in `scope`, as text inside a longer one; by null or nothing if
 * there is none, or if it does not fit.
 */
export const filled = (template: unknown, scope: Scope, fits: Fits = () => true): unknown =>
  mapLeaves(template, (leaf) => (typeof leaf === "string" ? filledText(leaf, scope, fits) : leaf));

type Fits = (value: unknown) => boolean;

/** None spans the beginning of another, so that looking for them takes linear time. */
const PLACEHOLDERS = /\$\{([^{}]*)\}/g;
const WHOLE_PLACEHOLDER = /^\$\{([^{}]*)\}$/;

function filledText(text: string, scope: Scope, fits: Fits): unknown {
  const valueAtName = (name: string) => {
    const found = valueAt(scope, name.trim().split("."));
    return fits(found) ? found : undefined;
  };
  const whole = WHOLE_PLACEHOLDER.exec(text)?.[1];
  if (whole !== undefined) return valueAtName(whole) ?? null;
  return text.replace(PLACEHOLDERS, (_, name: string) => textOf(valueAtName(name)));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
