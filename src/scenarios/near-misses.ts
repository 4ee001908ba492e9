/** Names in matches that are free, but all but equal to one that is known: a typo that would match nothing, in silence. */
import { isObject } from "../kernel/json.js";
import { matches } from "../kernel/matching.js";
import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt } from "../kernel/problems.js";
import { nearest, unknownKey } from "../kernel/words.js";
import { isPlaceholder } from "./placeholders.js";

/** What calls and payloads can hold as far as anybody knows; others may hold more. */
export interface KnownNames {
  /** The paths of the simulated API, `:name` for a segment that is free. */
  readonly paths: readonly string[];
  /** The names of fields in bodies, of any depth. */
  readonly requestFields: readonly string[];
  readonly deliveryFields: readonly string[];
}

/** The typos in a match of calls or deliveries. */
export function nearMissesIn(
  known: KnownNames,
  log: "request" | "delivery",
  match: unknown,
  at: Path = [],
): Problem[] {
  if (!isObject(match)) return [];
  const fields = log === "request" ? known.requestFields : known.deliveryFields;
  const { path } = match;
  const meant = log === "request" && typeof path === "string" ? nearPath(known.paths, path) : undefined;
  return [
    ...(meant === undefined
      ? []
      : [problemAt([...at, "path"], `unknown path ${JSON.stringify(path)}: did you mean "${meant}"?`)]),
    ...fieldProblems(fields, match.body, [...at, "body"], log === "delivery"),
  ];
}

/** The path that was meant by one that is no path of the API; undefined where none is near. */
function nearPath(known: readonly string[], path: string): string | undefined {
  if (isPlaceholder(path)) return undefined;
  const [plain = ""] = path.split("?");
  const segments = plain.split("/");
  const filled = known
    .map((template) => template.split("/"))
    .filter(({ length }) => length === segments.length)
    .map((template) => template.map((part, index) => (isFree(part) ? segments[index] : part)));
  const fits = filled.some((template) =>
    template.every((part, index) => part === segments[index] || isFree(segments[index] ?? "")),
  );
  return fits
    ? undefined
    : nearest(
        plain,
        filled.map((template) => template.join("/")),
      );
}

const isFree = (segment: string): boolean => segment.startsWith(":") || segment === "*";

/**
 * The typos in the names of fields; keys of conditions begin with `$`. Where only known fields ever come (`isClosed`), a name
 * that nobody knows is one too if all that is asked is that it is absent: that holds for whatever comes.
 */
export function fieldProblems(
  known: readonly string[],
  value: unknown,
  at: Path,
  isClosed = false,
): Problem[] {
  const isTypo = (key: string, inner: unknown) =>
    nearest(key, known) !== undefined || (isClosed && holdsForNothing(inner));
  return unknownFields(known, value, at, isTypo);
}

/** The typos in the names of fields that are to be absent. */
export const absentFieldProblems = (known: readonly string[], value: unknown, at: Path): Problem[] =>
  unknownFields(
    known,
    value,
    at,
    (key, inner) => holdsForNothing(inner) && nearest(key, known) !== undefined,
  );

const holdsForNothing = (pattern: unknown): boolean => matches(pattern, undefined);

function unknownFields(
  known: readonly string[],
  value: unknown,
  at: Path,
  isTypo: (key: string, inner: unknown) => boolean,
): Problem[] {
  if (known.length === 0) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => unknownFields(known, item, [...at, index], isTypo));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    !key.startsWith("$") && !known.includes(key) && isTypo(key, inner)
      ? [keyProblemAt([...at, key], unknownKey("field", key, known))]
      : unknownFields(known, inner, [...at, key], isTypo),
  );
}
