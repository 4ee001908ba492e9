/** Every refusal of the control API, and the error class for them. */

import { masked, maskedText } from "../kernel/masking.js";
import { keysOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { LimitReached, problemsOfFirst, UnusableDocument } from "../kernel/problems.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/saver.js";
import type { Scope } from "../service/behaviour/entry.js";
import { filled } from "../service/behaviour/entry.js";
import type { ControlRefusalKey } from "../service/domain/refusals.js";
import { CONTROL_REFUSALS, InvalidInput, isControlRefusal, Refusal } from "../service/domain/refusals.js";

/** By code: the status, and the messages, in which `${…}` is replaced by values of the call. */
const ERRORS = {
  "unusable-input": {
    status: 400,
    "input.unusable": "Invalid ${what}: ${problems}",
  },
  "unusable-scenario": { status: 400, "scenarios.unusable": "Invalid scenario: ${problems}" },
  unauthorized: {
    status: 401,
    "access.unauthorized":
      "the call needs the header Authorization: Bearer <control token>; clients take it from controlToken or MESSAGING_SIM_CONTROL_TOKEN",
  },
  "cross-origin": { status: 403, "access.crossOrigin": "pages from other origins cannot make changes here" },
  "unknown-host": { status: 403, "access.unknownHost": '"${host}" is not a name of this server${hint}' },
  "not-found": {
    status: 404,
    "sandboxes.notFound": 'there is no sandbox "${id}"',
    "snapshots.notFound": 'there is no snapshot "${id}"',
    "collections.notFound": 'there is no collection "${id}": it must be ${collections}',
    "records.notFound": 'there is no record in ${collection} with the id "${id}"',
    "faults.notFound": 'there is no fault "${id}"',
    "deliveries.notFound": 'there is no delivery "${id}"',
    "webhooks.notFound": 'there is no webhook "${id}"',
  },
  "unknown-route": {
    status: 404,
    "routes.unknown":
      "${path} is not a route of the control API: GET /__sim/control.json lists the routes; records are below /__sim/data",
  },
  "wrong-method": { status: 405, "routes.wrongMethod": "${path} does not support ${method}: use ${allowed}" },
  timeout: {
    status: 408,
    "waits.timeout": "${matches} within ${timeoutMs} ms${why}",
    "waits.noReply": "No reply in thread ${thread} within ${timeoutMs} ms${why}",
    "waits.notIdle": "not idle after ${timeoutMs} ms: in flight are ${onTheirWay}",
    "waits.notHeld": "after ${timeoutMs} ms ${what}",
  },
  conflict: {
    status: 409,
    "sandboxes.taken": 'the sandbox "${id}" already exists',
    "sandboxes.tooMany": "there are already ${limit} sandboxes: delete some, or give them a ttlMs",
    "sandboxes.ended": "the sandbox was closed, reset or deleted during the call",
    "sandboxes.default": 'the sandbox "${id}" cannot be deleted: reset it instead',
    "clock.advancing":
      "the clock is already advancing: repeat the call when that has finished; a webhook receiver must respond first, since the clock waits for it",
    "snapshots.tooMany": "there are already ${limit} snapshots: delete some first",
    "records.taken": "${collection} already has a record with the id ${id}",
    "records.notUnique": "${id} of the ${collection} has the same ${value} in the organization",
    "records.inUse": "${collection} ${id} cannot be deleted: ${problems}",
    "records.otherOrganization": "${collection} ${id} cannot move to another organization: ${problems}",
    "faults.tooMany": "there are already ${limit} faults: remove some first",
    "webhooks.circle": "this call comes from the simulator itself: a webhook points at the control API",
    "waits.tooMany": "there are already ${limit} open waits",
    "streams.tooMany": "there are already ${limit} open streams",
    "scenarios.running":
      "another scenario is running in the sandbox ${id}: wait for it to finish, or use a separate sandbox",
    "store.none": "nothing is stored: the simulator was started without --data",
  },
  "too-large": {
    status: 413,
    "body.tooLarge": "the body must not exceed ${limit} bytes",
    "sinks.tooLarge": "a sink accepts at most ${limit} bytes",
  },
  "unknown-encoding": {
    status: 415,
    "body.encoding": "Content-Encoding must be gzip, deflate or br, but is ${encoding}",
  },
  elsewhere: {
    status: 421,
    "sandboxes.elsewhere": "another process holds the sandbox: repeat the call on a new connection",
  },
  expectation: { status: 422, "verify.failed": "expected ${expected}, but ${found} match${gone}" },
  internal: { status: 500, "simulator.failed": "the simulator failed: this is a bug in the simulator" },
  overloaded: {
    status: 503,
    "scenarios.tooMany": "${limit} scenarios are running: try again in a second",
    "memory.full":
      "${reason}: reset or delete sandboxes or snapshots, or allow Node more with --max-old-space-size",
  },
  "storage-unavailable": { status: 503, "store.unavailable": "${whyNotSaved}" },
} as const;

type Errors = typeof ERRORS;
type ErrorCode = keyof Errors;

type OwnKey = { [C in ErrorCode]: Exclude<keyof Errors[C], "status"> }[ErrorCode];
export type ControlErrorKey = OwnKey | ControlRefusalKey;

interface ControlErrorEntry {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
}

/** Every refusal, by its key: its own, and those of the rules that the control API runs. */
export const CONTROL_ERRORS: Readonly<Record<ControlErrorKey, ControlErrorEntry>> = Object.fromEntries([
  ...keysOf(ERRORS).flatMap((code) => {
    const { status, ...messages } = ERRORS[code];
    return Object.entries(messages).map(([key, message]) => [key, { code, status, message }]);
  }),
  ...Object.entries(CONTROL_REFUSALS).map(([key, { code, message }]) => [
    key,
    { code, status: ERRORS[code].status, message },
  ]),
]);

const HEADERS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ["WWW-Authenticate", 'Bearer realm="messaging-sim"'],
  // The retry uses another connection, which may lead to another process.
  elsewhere: ["Connection", "close"],
};

/** The refusals that end by themselves: in `retryAfter` seconds where a refusal says so, otherwise in one. */
const PASSING: readonly ErrorCode[] = ["overloaded", "storage-unavailable", "elsewhere"];

/** A refused control call, with status, code and message from the catalogue. Its texts hold no secrets. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly Pick<Problem, "path" | "message">[];
  readonly headers: readonly string[];

  constructor(
    readonly key: ControlErrorKey,
    readonly scope: Scope = {},
    details: readonly Pick<Problem, "path" | "message">[] = [],
    headers: readonly string[] = [],
  ) {
    const { code, status, message } = CONTROL_ERRORS[key];
    // The message repeats the details without their fields, by which secrets in them are found.
    const shown = masked(details) as ControlError["details"];
    const problems = shown.map(({ path, message: text }) => (path === "" ? text : `${path}: ${text}`));
    super(maskedText(String(filled(message, { ...scope, problems: problems.join("; ") }))));
    this.details = shown;
    this.code = code;
    this.status = status;
    const retry = PASSING.includes(code) ? ["Retry-After", String(scope.retryAfter ?? 1)] : [];
    this.headers = [...headers, ...(HEADERS[code] ?? []), ...retry];
  }

  toJSON(): object {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** Returns what a call refers to. @throws ControlError if it does not exist */
export function existing<T>(found: T | undefined, key: ControlErrorKey, scope: Scope): T {
  if (found === undefined) throw new ControlError(key, scope);
  return found;
}

/** An error with problems as its details. `scope` fills the other placeholders of its message. */
export function problemsError(
  key: ControlErrorKey,
  problems: readonly Problem[],
  scope: Scope = {},
): ControlError {
  const listed = problemsOfFirst(problems, ({ onKey: _, ...shown }) => [shown]);
  return new ControlError(key, scope, listed);
}

export const unusable = (problems: readonly Problem[], what = "request"): ControlError =>
  problemsError("input.unusable", problems, { what });

/** The control API's form of a rule's refusal; other errors are returned as they are. */
export function controlErrorOf(error: unknown): unknown {
  if (error instanceof InvalidInput)
    return unusable(
      error.problems.map(({ property, message }) => ({ path: property.replace(/^@\.?/, ""), message })),
    );
  if (error instanceof UnusableDocument) return unusable(error.problems);
  if (error instanceof LimitReached) return new ControlError(`${error.of}.tooMany`, { limit: error.limit });
  if (error instanceof LeaseHeldElsewhereError) return new ControlError("sandboxes.elsewhere");
  if (error instanceof PersistenceUnavailableError)
    return new ControlError("store.unavailable", { whyNotSaved: error.scope.reason });
  if (error instanceof Refusal && error.key === "limits.overloadError")
    return new ControlError("memory.full", error.scope);
  if (error instanceof Refusal && isControlRefusal(error.key))
    return new ControlError(error.key, error.scope);
  return error;
}
