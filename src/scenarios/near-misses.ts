/** Names in matches that are free, but all but equal to one that is known: a typo that would match nothing, in silence. */
import { isObject } from "../kernel/json.js";
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
    ...fieldProblems(fields, match.body, [...at, "body"]),
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

/** The typos in the names of fields; keys of conditions begin with `$`. */
export function fieldProblems(known: readonly string[], value: unknown, at: Path): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => fieldProblems(known, item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const isTypo = !key.startsWith("$") && !known.includes(key) && nearest(key, known) !== undefined;
    return isTypo
      ? [keyProblemAt([...at, key], unknownKey("field", key, known))]
      : fieldProblems(known, inner, [...at, key]);
  });
}
