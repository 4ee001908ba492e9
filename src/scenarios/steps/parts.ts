/** Schemas and checks that several steps share. */

import type { Path } from "../../kernel/json.js";
import { isObject, pathText } from "../../kernel/json.js";
import { closedProblems, matches, patternProblems } from "../../kernel/matching.js";
import { EVENT_TYPES } from "../../kernel/names.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
import { anyOf, integer, oneOf, optional, string } from "../../kernel/schema.js";
import { durationSchema } from "../../kernel/units.js";
import { nearest, unknownKey } from "../../kernel/words.js";
import { isPlaceholder } from "../placeholders.js";
import type { KnownValues, NamedRecord } from "../step.js";

/** An id, as text or as a number. */
export const idSchema = (description: string) =>
  anyOf([string({ minLength: 1 }), integer({ minimum: 0 })], { description });

export const threadKey = optional(idSchema("the thread; default: the scenario's"));

export const withinKey = optional({
  ...durationSchema,
  description: "how long to wait, in real time; default: the scenario's `within`",
});

export const eventName = oneOf(EVENT_TYPES, { description: "the event's type" });

/** The records that a match names; a refused token need not exist. */
export function namesInMatch(match: unknown, at: Path): NamedRecord[] {
  const fields = isObject(match) ? match : {};
  return Object.entries(IN_MATCHES).flatMap(([field, collection]) =>
    field === "token" && fields.status === 401
      ? []
      : [{ collection, name: fields[field], at: [...at, field] }],
  );
}

const IN_MATCHES = { token: "tokens", webhookId: "webhooks", hookId: "webhooks", threadId: "threads" };

/** Problems of a collection's name and of the fields of a record in it. */
export function recordProblems(
  { records }: KnownValues,
  collection: string,
  values: Readonly<Record<string, unknown>> = {},
): Problem[] {
  if (isPlaceholder(collection)) return [];
  const record = Object.hasOwn(records, collection) ? records[collection] : undefined;
  if (record === undefined)
    return [problemAt(["collection"], unknownKey("collection", collection, Object.keys(records)))];
  const { fields, names: inner, closed } = record;
  const strange = Object.keys(values).filter((field) => !field.startsWith("$") && !fields.includes(field));
  return [
    ...Object.entries(values)
      .filter(([field]) => !strange.includes(field))
      .flatMap(([field, value]) => fieldProblems(inner, value, ["values", field], "closed")),
    ...strange.map((field) => keyProblemAt(["values", field], unknownKey("field", field, fields))),
    ...closedProblems(closed, values, ["values"], isPlaceholder),
  ];
}

export const patternProblemsIn = (
  input: Readonly<Record<string, unknown>>,
  ...keys: readonly string[]
): Problem[] => keys.flatMap((key) => patternProblems(input[key], pathText([key])));

/** The typos in a match of calls or deliveries. */
export function nearMissesIn(
  { names }: KnownValues,
  log: "request" | "delivery",
  match: unknown,
  at: Path = [],
): Problem[] {
  if (!isObject(match)) return [];
  const { path, body } = match;
  const inBody = [...at, "body"];
  if (log === "delivery") return fieldProblems(names.deliveryFields, body, inBody, "closed");
  const meant = typeof path === "string" ? nearPath(names.paths, path) : undefined;
  const problems = fieldProblems(names.requestFields, body, inBody);
  if (meant === undefined) return problems;
  const message = `unknown path ${JSON.stringify(path)}: did you mean "${meant}"?`;
  return [problemAt([...at, "path"], message), ...problems];
}

/** What is wrong with a match of calls or deliveries. */
export const matchProblems = (
  known: KnownValues,
  of: "request" | "delivery",
  match: unknown,
  at: Path,
): Problem[] => [
  ...patternProblems(match, pathText(at)),
  ...closedProblems(known[of], match, at, isPlaceholder),
  ...nearMissesIn(known, of, match, at),
];

/** The path that an unknown one probably means. */
function nearPath(known: readonly string[], path: string): string | undefined {
  if (isPlaceholder(path)) return undefined;
  const [plain = ""] = path.split("?");
  const segments = plain.split("/");
  const isFree = (segment = "") => segment.startsWith(":") || segment === "*";
  const filled = known
    .map((template) => template.split("/"))
    .filter(({ length }) => length === segments.length)
    .map((parts) => parts.map((part, at) => (isFree(part) || isFree(segments[at]) ? segments[at] : part)))
    .map((parts) => parts.join("/"));
  return filled.includes(plain) ? undefined : nearest(plain, filled);
}

/** `closed`: only known fields can occur; `open`: others may; `absences`: only what must be absent is checked. */
type FieldCheck = "closed" | "open" | "absences";

/**
 * Typos in names of fields; keys of conditions begin with `$`. If only known fields can occur, an unknown name that must be
 * absent is one too: that would always hold.
 */
export function fieldProblems(
  known: readonly string[],
  value: unknown,
  at: Path,
  check: FieldCheck = "open",
): Problem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key];
    const isNamed = !Array.isArray(value) && !key.startsWith("$") && !known.includes(key);
    return isNamed && isTypo(known, key, inner, check)
      ? [keyProblemAt(path, unknownKey("field", key, known))]
      : fieldProblems(known, inner, path, check);
  });
}

function isTypo(known: readonly string[], key: string, pattern: unknown, check: FieldCheck): boolean {
  const isNear = nearest(key, known) !== undefined;
  if (check === "open") return isNear;
  const isAbsent = matches(pattern, undefined);
  return check === "closed" ? isNear || isAbsent : isNear && isAbsent;
}
