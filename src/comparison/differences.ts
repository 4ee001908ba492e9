/** Where two answers differ. Ids and times are compared by their type alone: each side has its own. */
import type { Path } from "../kernel/path.js";
import { parsePath, pathText } from "../kernel/path.js";
import type { Recorded } from "./recorder.js";
import type { FieldDifference } from "./report.js";

/** Headers that say something about the API; all others are a matter of the server before it. */
const HEADERS = ["content-type", "allow", "retry-after"];
const BY_PRESENCE = new Set(["retry-after"]);
const ID = /^(?:id|uuid|sid)$|(?:Id|Ids|ID|UUID|Uuid|Sid)$|_id$/;
const TIME = /^(?:timestamp|date|time)$|(?:Timestamp|At|Date|Time)$|_at$/;
/** Seconds since 1970 are below it until the year 5138; milliseconds above it since 1973. */
const MIN_MILLISECONDS = 1e11;

type Answer = Pick<Recorded, "status" | "headers" | "body">;
interface Placed {
  readonly path: Path;
  readonly simulator?: unknown;
  readonly other?: unknown;
}

/** A path whose differences do not count, with all below it; `*` stands for any key or position. */
export type IgnoredPath = Path;

/** Reads `body.templates[*].text`. */
export const ignoredPath = (text: string): IgnoredPath => parsePath(text.replaceAll("[*]", ".*"));

export function answerDifferences(
  simulator: Answer,
  other: Answer,
  ignored: readonly IgnoredPath[],
): FieldDifference[] {
  const found: Placed[] = [
    ...(simulator.status === other.status
      ? []
      : [{ path: ["status"], simulator: simulator.status, other: other.status }]),
    ...HEADERS.flatMap((name) => headerDifference(name, simulator.headers[name], other.headers[name])),
    ...valueDifferences(simulator.body, other.body, ["body"], ""),
  ];
  return found
    .filter(({ path }) => !ignored.some((pattern) => covers(pattern, path)))
    .map(({ path, ...values }) => ({ path: pathText(path), ...values }));
}

const covers = (pattern: IgnoredPath, path: Path): boolean =>
  pattern.length <= path.length &&
  pattern.every((segment, index) => segment === "*" || String(segment) === String(path[index]));

function headerDifference(name: string, own: string | undefined, other: string | undefined): Placed[] {
  const plain = (value: string | undefined) =>
    BY_PRESENCE.has(name) ? value !== undefined : value?.split(";", 1)[0]?.trim().toLowerCase();
  return plain(own) === plain(other) ? [] : [placed(["headers", name], own, other)];
}

/** @param field the nearest key above the value: it tells ids and times */
function valueDifferences(own: unknown, other: unknown, path: Path, field: string): Placed[] {
  if (Array.isArray(own) && Array.isArray(other)) {
    return Array.from({ length: Math.max(own.length, other.length) }, (_, index) => index).flatMap((index) =>
      valueDifferences(own[index], other[index], [...path, index], field),
    );
  }
  if (isObject(own) && isObject(other)) {
    const keys = [...new Set([...Object.keys(own), ...Object.keys(other)])];
    return keys.flatMap((key) => valueDifferences(ofKey(own, key), ofKey(other, key), [...path, key], key));
  }
  return isSame(own, other, field) ? [] : [placed(path, own, other)];
}

function isSame(own: unknown, other: unknown, field: string): boolean {
  if (own === other) return true;
  if (own === null || other === null || typeof own !== typeof other || typeof own === "object") return false;
  if (own === undefined) return true;
  if (TIME.test(field))
    return typeof own !== "number" || own >= MIN_MILLISECONDS === (other as number) >= MIN_MILLISECONDS;
  return ID.test(field) && typeof own !== "boolean";
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const ofKey = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;
const placed = (path: Path, simulator: unknown, other: unknown): Placed => ({
  path,
  ...(simulator === undefined ? {} : { simulator }),
  ...(other === undefined ? {} : { other }),
});
