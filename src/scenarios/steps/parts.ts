/** Schemas that several steps share. */
import type { ClosedFields } from "../../kernel/closed-values.js";
import { closedProblems } from "../../kernel/closed-values.js";
import { durationSchema } from "../../kernel/duration.js";
import { isObject } from "../../kernel/json.js";
import { patternProblems } from "../../kernel/matching.js";
import type { Path } from "../../kernel/path.js";
import { pathText } from "../../kernel/path.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
import { anyOf, integer, nothing, object, oneOf, optional, record, string } from "../../kernel/schema.js";
import { unknownKey } from "../../kernel/words.js";
import { fieldProblems } from "../near-misses.js";
import { isPlaceholder } from "../placeholders.js";
import type { NamedRecord } from "../references.js";
import type { KnownValues } from "../step.js";

/** An id, written as text or as a plain number. */
export const idSchema = (description: string) =>
  anyOf([string({ minLength: 1 }), integer({ minimum: 0 })], { description });

export const threadKey = optional(idSchema("the thread; left out: the scenario's"));

export const withinKey = optional({
  ...durationSchema,
  description: "how long to wait, in real time; left out: the scenario's `within`",
});

export const attachmentSchema = object({
  uuid: string(),
  contentType: string(),
  name: string(),
  contentLength: integer({ minimum: 0 }),
});

/** Headers of a request: null leaves out one that is sent otherwise. */
export const headersSchema = record(anyOf([string(), nothing()]), {
  description: "headers over `token` and `Content-Type`; null leaves one out",
});

export const eventName = oneOf(["message", "transfer"], { description: "the event's type" });

/** The records that a match of calls or deliveries names; a refused token need not be there. */
export function namesInMatch(match: unknown, at: Path): NamedRecord[] {
  const fields = isObject(match) ? match : {};
  return Object.entries(IN_MATCHES).flatMap(([field, collection]) =>
    field === "token" && fields.status === 401
      ? []
      : [{ collection, name: fields[field], at: [...at, field] }],
  );
}

const IN_MATCHES = { token: "tokens", webhookId: "webhooks", hookId: "webhooks", threadId: "threads" };

/** What is wrong with the plain values of a match. */
export const closedProblemsIn = (fields: ClosedFields, match: unknown, at: Path = []): Problem[] =>
  closedProblems(fields, match, at, isPlaceholder);

/** What is wrong with the name of a collection and the fields of a record in it. */
export function recordProblems(
  { records }: KnownValues,
  collection: string,
  values: Readonly<Record<string, unknown>> = {},
): Problem[] {
  const names = Object.keys(records);
  if (names.length === 0 || isPlaceholder(collection)) return [];
  const record = Object.hasOwn(records, collection) ? records[collection] : undefined;
  if (record === undefined) return [problemAt(["collection"], unknownKey("collection", collection, names))];
  const { fields, names: inner, closed } = record;
  const strange = Object.keys(values).filter((field) => !field.startsWith("$") && !fields.includes(field));
  return [
    ...Object.entries(values)
      .filter(([field]) => !strange.includes(field))
      .flatMap(([field, value]) => fieldProblems(inner, value, ["values", field], true)),
    ...strange.map((field) => keyProblemAt(["values", field], unknownKey("field", field, fields))),
    ...closedProblemsIn(closed, values, ["values"]),
  ];
}

/** What is wrong with the patterns under these keys of an input. */
export const patternProblemsIn = (
  input: Readonly<Record<string, unknown>>,
  ...keys: readonly string[]
): Problem[] => keys.flatMap((key) => patternProblems(input[key], pathText([key])));
