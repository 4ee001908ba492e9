/** Inputs and answers that several routes share: sandboxes, instants, pages of logs, near misses. */

import { masksIn } from "../kernel/masking.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, problemsOfFirst } from "../kernel/problems.js";
import { instantOf, isInRange } from "../kernel/realtime.js";
import type { Keywords, Schema } from "../kernel/schema.js";
import {
  anyOf,
  array,
  integer,
  object,
  optional,
  partial,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import { namesText, preview } from "../kernel/words.js";
import type { Log, Logged } from "../sandbox/log.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { CollectionName } from "../service/world/records.js";
import type { ControlErrorKey } from "./errors.js";
import { ControlError, unusable } from "./errors.js";

type NamesOf = (sandbox: Sandbox, scope: ControlError["scope"]) => Iterable<string>;

const idsOf = (records: Iterable<{ readonly id: string }>) => Array.from(records, ({ id }) => id);

/** The names available in a sandbox, by the error for an unknown one. */
const NAMES: Partial<Record<ControlErrorKey, readonly [what: string, NamesOf]>> = {
  "records.notFound": ["ids", ({ run }, scope) => idsOf(run.world.all(scope.collection as CollectionName))],
  "threads.notFound": ["threads", ({ run }) => idsOf(run.world.all("threads"))],
  "businesses.notFound": ["businesses", ({ run }) => idsOf(run.world.all("businesses"))],
  "employees.notFound": [
    "users",
    ({ run: { world } }, scope) =>
      idsOf([...world.all("users")].filter((user) => user.organizationId === scope.organizationId)),
  ],
  "webhooks.notFound": [
    "webhooks",
    ({ run }) => Array.from(run.world.all("webhooks"), ({ hookId }) => hookId),
  ],
  "snapshots.notFound": ["snapshots", ({ snapshots }) => [...snapshots.keys()]],
  "faults.notFound": ["faults", ({ run }) => idsOf(run.faults.list())],
};

/** A call's error for its caller: for an unknown name, it also lists the available ones. */
export function withNames(error: unknown, sandbox: Sandbox): unknown {
  if (!(error instanceof ControlError)) return error;
  const [what, namesOf] = NAMES[error.key] ?? [];
  if (namesOf !== undefined) error.message += `; ${what}: ${namesText(namesOf(sandbox, error.scope))}`;
  return error;
}

export function sandboxWithId(registry: SandboxRegistry, id: string): Sandbox {
  const sandbox = registry.get(id);
  if (sandbox !== undefined) return sandbox;
  const error = new ControlError("sandboxes.notFound", { id });
  error.message += `; sandboxes: ${namesText(idsOf(registry.all()))}`;
  throw error;
}

export const instantSchema = anyOf([string(), integer()], {
  description:
    "an instant from 1970 to 9999: milliseconds, or ISO 8601 (a date with or without a time up to 23:59:59.999; Z, an offset or neither for UTC)",
});

/** The milliseconds of an instant at `path` in a caller's input, or what is wrong with it. */
export function instantIn(value: string | number, path: string): number | Problem {
  const instant = instantOf(value);
  if (isInRange(instant)) return instant;
  return problemAt(
    [path],
    `must be an ISO instant or milliseconds, between the years 1970 and 9999, but is ${preview(value)}`,
  );
}

/** @throws ControlError if secrets in a caller's input were left masked, as they are in answers */
export function refuseMasks(written: unknown): void {
  const places = masksIn(written);
  if (places.length === 0) return;
  const message =
    "is masked: give the value itself (?secrets=show returns it), or leave it out to keep what is stored";
  throw unusable(problemsOfFirst(places, (place) => [problemAt(place, message)]));
}

/** A JSON object that callers may write as an `I`, whose fields are checked elsewhere. */
export const recordOf = <I>(keywords: Keywords = {}) =>
  record(unknown(), keywords) as Schema<Record<string, unknown>, I>;

export const PAGE = partial({
  since: string({ description: "only entries after this id" }),
  limit: string({
    pattern: "^[1-9]\\d{0,8}$",
    "x-form": "a positive number",
    description: "at most this many entries: the first ones after `since`, otherwise the newest",
  }),
});

/** The entries of a page, oldest first. */
export function pageOf<E extends Logged>(
  log: Log<E>,
  { since, limit, ...fields }: Readonly<Record<string, string | undefined>>,
  /** For fields that may also match other values than the given one. */
  fitsBy: Readonly<Record<string, (entry: E, asked: string) => boolean>> = {},
): E[] {
  const asked = Object.entries(omitUndefined(fields));
  const found = [...log.from(positionAfter(log, since))].filter((entry) =>
    asked.every(
      ([field, value]) => fitsBy[field]?.(entry, value ?? "") ?? Reflect.get(entry, field) === value,
    ),
  );
  if (limit === undefined) return found;
  return since === undefined ? found.slice(-Number(limit)) : found.slice(0, Number(limit));
}

/** The position after the entry with an id; without an id, the start. `path` is its location in the caller's input. */
export function positionAfter<E extends Logged>(log: Log<E>, id: string | undefined, path = "since"): number {
  if (id === undefined) return 0;
  const position = log.positionOf(id);
  if (position < log.mark) return position + 1;
  throw unusable([{ path, message: `must be the id of an entry, but is "${id}"` }]);
}

const differenceSchema = object({
  path: string({ description: "the path in the entry, such as body.text" }),
  expected: unknown({ description: "the expected value or condition" }),
  seen: optional(unknown({ description: "the actual value; omitted if there is none" })),
});

/** Entries that almost match, the nearest first. */
export const nearMissesSchema = array(
  object(
    {
      id: string(),
      entry: unknown({ description: "the call, delivery or record" }),
      differences: array(differenceSchema, { description: "each field that differs from the expectation" }),
    },
    { title: "near miss" },
  ),
  { description: "the entries closest to a match, closest first" },
);

export const clearedSchema = object({ cleared: integer({ description: "the number found" }) });

export const evictedSchema = integer({
  minimum: 1,
  description: "the number of evicted entries that might have matched: logs keep only a limited number",
});
