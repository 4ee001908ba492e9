/** Every refusal of the control API, and the error class for them. */

import type { Admission } from "../kernel/http/admission.js";
import { RETRY_AFTER_S } from "../kernel/http/admission.js";
import { CostlyMatch } from "../kernel/linear-regex.js";
import { masked } from "../kernel/masking.js";
import { keysOf, omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { LimitReached } from "../kernel/problems.js";
import { andMore, MAX_LISTED } from "../kernel/words.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/durable.js";
import type { Scope } from "../service/behaviour/entry.js";
import { filled } from "../service/behaviour/entry.js";
import type { ControlRefusalKey } from "../service/domain/refusals.js";
import { CONTROL_REFUSALS, InvalidInput, isControlRefusal, Refusal } from "../service/domain/refusals.js";

export const ERROR_CODES = {
  "unusable-input": 400,
  "unusable-scenario": 400,
  unauthorized: 401,
  "cross-origin": 403,
  "unknown-host": 403,
  "not-found": 404,
  "unknown-route": 404,
  "wrong-method": 405,
  timeout: 408,
  conflict: 409,
  abandoned: 410,
  "too-large": 413,
  "unknown-encoding": 415,
  "unknown-expectation": 417,
  elsewhere: 421,
  "headers-too-large": 431,
  expectation: 422,
  internal: 500,
  "no-tunnel": 501,
  overloaded: 503,
  "insufficient-storage": 507,
  closing: 503,
} as const;
type ErrorCode = keyof typeof ERROR_CODES;

interface ControlErrorEntry {
  readonly code: ErrorCode;
  readonly when: string;
  /** A template: `${…}` is replaced by values of the call. */
  readonly message: string;
}

const error = (code: ErrorCode, when: string, message: string): ControlErrorEntry => ({
  code,
  when,
  message,
});
const notFound = (what: string, message = `there is no ${what} "\${id}"`) =>
  error("not-found", `There is no such ${what}`, message);
const tooMany = (what: string, advice = "") =>
  error("conflict", `There are too many ${what}`, `there are already \${limit} ${what}${advice}`);
const conflict = (when: string, message: string) => error("conflict", when, message);

const OWN_ERRORS = {
  "input.unusable": error("unusable-input", "The input is unusable", "${what} is unusable: ${problems}"),
  "access.unauthorized": error(
    "unauthorized",
    "The control token is missing or wrong",
    "the call needs the header Authorization: Bearer <control token>; clients take it from controlToken or MESSAGING_SIM_CONTROL_TOKEN",
  ),
  "access.crossOrigin": error(
    "cross-origin",
    "A page from another origin tries to make a change",
    "pages from other origins cannot make changes here",
  ),
  "access.unknownHost": error(
    "unknown-host",
    "The `Host` is not a name of this server, and no control token protects the route",
    '"${host}" is not a name of this server${hint}',
  ),
  "routes.unknown": error(
    "unknown-route",
    "The path is not a route of the control API",
    "${path} is not a route of the control API${hint}",
  ),
  "routes.wrongMethod": error(
    "wrong-method",
    "The route does not support the method",
    "${path} does not support ${method}: use ${allowed}",
  ),
  "http.malformed": error(
    "unusable-input",
    "The request is not valid HTTP/1.1",
    "not a valid HTTP/1.1 request${reason}",
  ),
  "http.host": error(
    "unusable-input",
    "The request has no `Host` header, or several",
    "an HTTP/1.1 request needs exactly one Host header",
  ),
  "http.transferEncoding": error(
    "unusable-input",
    "`Transfer-Encoding` is not `chunked`, or the request is HTTP/1.0",
    "Transfer-Encoding must be chunked and requires HTTP/1.1",
  ),
  "http.tunnel": error(
    "no-tunnel",
    "The client asks for a tunnel (`CONNECT`), as it would ask a proxy for an `https://` address",
    "the simulator does not tunnel to https:// addresses: intercept a Node program with messaging-sim/intercept, or use http:// addresses",
  ),
  "http.slow": error(
    "timeout",
    "The request did not arrive completely in time",
    "the request took too long to arrive",
  ),
  "http.extensions": error(
    "too-large",
    "The chunk extensions of the body are too long",
    "the chunk extensions of the body are too long",
  ),
  "http.expectation": error(
    "unknown-expectation",
    "The header `Expect` is not `100-continue`",
    "the header Expect must be 100-continue",
  ),
  "http.headers": error(
    "headers-too-large",
    "The request line and headers are too long",
    "the request line and headers must not exceed ${limit} bytes",
  ),
  "body.encoding": error(
    "unknown-encoding",
    "The header `Content-Encoding` names an unsupported encoding",
    "Content-Encoding must be gzip, deflate or br, but is ${encoding}",
  ),
  "body.tooLarge": error("too-large", "The body is too large", "the body must not exceed ${limit} bytes"),
  "sandboxes.notFound": notFound("sandbox"),
  "sandboxes.taken": conflict("The id is in use", 'the sandbox "${id}" already exists'),
  "sandboxes.tooMany": tooMany("sandboxes", ": delete some, or give them a ttlMs"),
  "sandboxes.default": conflict(
    "The sandbox default cannot be deleted",
    'the sandbox "${id}" cannot be deleted: reset it instead',
  ),
  "sandboxes.elsewhere": error(
    "elsewhere",
    "Another process that shares the store holds the sandbox",
    "another process holds the sandbox: repeat the call on a new connection",
  ),
  "snapshots.notFound": notFound("snapshot"),
  "state.overtaken": conflict(
    "The sandbox was reset while the state was being read",
    "the sandbox was reset in the meantime: the state was not applied",
  ),
  "clock.overtaken": conflict(
    "The sandbox was reset or deleted during the advance",
    "the sandbox was reset or deleted in the meantime: the clock was not advanced",
  ),
  "snapshots.tooMany": tooMany("snapshots", ": delete some first"),
  "collections.notFound": notFound("collection", 'there is no collection "${id}": it must be ${collections}'),
  "records.notFound": notFound("record", 'there is no record in ${collection} with the id "${id}"'),
  "records.taken": conflict(
    "Another record has the same id",
    "${collection} already has a record with the id ${id}",
  ),
  "records.notUnique": conflict(
    "Another record has a value that must be unique",
    "${id} of the ${collection} has the same ${value} in the organization",
  ),
  "records.inUse": conflict(
    "Other records refer to it",
    "${collection} ${id} cannot be deleted: ${problems}${more}",
  ),
  "records.otherOrganization": conflict(
    "Records of its organization refer to it, so it cannot move to another",
    "the organization cannot change: ${problems}${more}",
  ),
  "faults.notFound": notFound("fault"),
  "scenarios.notFound": notFound("scenario", 'there is no scenario "${id}": see GET /__sim/scenarios'),
  "faults.tooMany": tooMany("faults", ": remove some first"),
  "deliveries.notFound": notFound("delivery"),
  "deliveries.notHeld": conflict("No fault holds the delivery", "no fault holds the delivery ${id}"),
  "webhooks.notFound": notFound("webhook"),
  "webhooks.circle": conflict(
    "The call comes from the simulator itself",
    "this call comes from the simulator itself: a webhook points at the control API",
  ),
  "waits.timeout": error(
    "timeout",
    "The timeout passed before enough entries matched",
    "${found} of ${count} matching entries arrived within ${timeoutMs} ms${hints}",
  ),
  "waits.notIdle": error(
    "timeout",
    "The timeout passed while calls or deliveries were in flight",
    "not idle after ${timeoutMs} ms: in flight are ${onTheirWay}",
  ),
  "waits.notHeld": error(
    "timeout",
    "The timeout passed before a record matched",
    "after ${timeoutMs} ms ${what}",
  ),
  "verify.failed": error(
    "expectation",
    "Too few or too many entries match, or entries that might have matched were evicted",
    "expected ${expected}, but ${found} match${gone}",
  ),
  "waits.tooMany": tooMany("open waits"),
  "waits.sandboxGone": conflict(
    "The sandbox was deleted during the wait",
    "the sandbox was deleted during the wait",
  ),
  "streams.tooMany": tooMany("open streams"),
  "sinks.aborted": error(
    "abandoned",
    "A reset aborted the delivery",
    "the sandbox was reset in the meantime",
  ),
  "sinks.tooLarge": error("too-large", "The body is too large", "a sink accepts at most ${limit} bytes"),
  "scenarios.unusable": error(
    "unusable-scenario",
    "The scenario is not usable",
    "the scenario is unusable: ${problems}",
  ),
  "scenarios.running": conflict(
    "Another scenario is running in the sandbox",
    "another scenario is running in the sandbox ${id}: wait for it to finish, or use a separate sandbox",
  ),
  "scenarios.ended": conflict(
    "The sandbox was reset or deleted during the run",
    "the sandbox was reset or deleted during the run",
  ),
  "load.tooMuch": error(
    "overloaded",
    "The simulator is handling as much as it can",
    "${reason}: try again in a second",
  ),
  "store.unavailable": error(
    "overloaded",
    "The change cannot be saved to the folder or server of `--data`",
    "${reason}",
  ),
  "store.none": error(
    "conflict",
    "The simulator stores nothing",
    "nothing is stored: the simulator was started without --data",
  ),
  "memory.full": error(
    "insufficient-storage",
    "The worlds would exceed the memory limit",
    "${reason}: reset or delete sandboxes or snapshots, or start with a larger --memory",
  ),
  "simulator.closing": error("closing", "The simulator is shutting down", "the simulator is shutting down"),
  "simulator.failed": error(
    "internal",
    "The simulator failed",
    "the simulator failed: this is a bug in the simulator",
  ),
} as const;

export type ControlErrorKey = keyof typeof OWN_ERRORS | ControlRefusalKey;

const ALL: Readonly<Record<ControlErrorKey, ControlErrorEntry>> = { ...OWN_ERRORS, ...CONTROL_REFUSALS };

export const CONTROL_ERROR_KEYS = keysOf(ALL);

export const controlErrorEntry = (key: ControlErrorKey): ControlErrorEntry => ALL[key];

interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** Additional headers of an error, by its code. */
export const HEADERS_OF: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ["WWW-Authenticate", 'Bearer realm="messaging-sim"'],
  overloaded: ["Retry-After", String(RETRY_AFTER_S)],
  // The retry uses another connection, which may lead to another process.
  elsewhere: ["Connection", "close", "Retry-After", String(RETRY_AFTER_S)],
};

/** A refused control call, with status, code and message from the catalogue. */
export class ControlError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(
    readonly key: ControlErrorKey,
    readonly scope: Scope = {},
    readonly details: readonly ErrorDetail[] = [],
    /** Headers of the response, as a flat list. */
    readonly headers: readonly string[] = [],
  ) {
    const { code, message } = controlErrorEntry(key);
    super(String(filled(message, scope)));
    this.name = "ControlError";
    this.code = code;
    this.status = ERROR_CODES[code];
  }

  toJSON(): object {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** The answer to a call whose sandbox is held by another process, the same in both APIs. */
export function elsewhereAnswer(): { status: number; body: object; headers: string[] } {
  const error = new ControlError("sandboxes.elsewhere");
  return { status: error.status, body: error.toJSON(), headers: [...(HEADERS_OF[error.code] ?? [])] };
}

/** An error with problems as its details. `scope` fills the other placeholders of its message. */
export function problemsError(
  key: ControlErrorKey,
  problems: readonly Problem[],
  scope: Scope = {},
): ControlError {
  // The message repeats them without their places, by which secrets in them are found.
  const listed = masked(listable(problems)) as ErrorDetail[];
  const texts = listed.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return new ControlError(key, { ...scope, problems: texts.join("; ") }, listed);
}

/** Up to this many problems are listed; of the others, only the number is given. */
function listable(problems: readonly Problem[]): ErrorDetail[] {
  const details: ErrorDetail[] = problems
    .filter(({ more }) => more === undefined)
    .slice(0, MAX_LISTED)
    .map(({ onKey: _, ...shown }) => shown);
  const rest = problems.reduce((sum, { more = 1 }) => sum + more, -details.length);
  return rest > 0 ? [...details, { path: "", message: andMore(rest) }] : details;
}

export const unusable = (problems: readonly Problem[], what = "the request"): ControlError =>
  problemsError(
    "input.unusable",
    problems.map(({ path, message, more }) => ({ path, message, ...omitUndefined({ more }) })),
    { what },
  );

/** @throws ControlError, counting it, if there is a reason to refuse the call now */
export function refuseExcess(load: Admission, reason: string | undefined): void {
  if (reason === undefined) return;
  load.refused += 1;
  throw new ControlError("load.tooMuch", { reason });
}

/** The control API's form of a rule's refusal; other errors are returned as they are. */
export function controlErrorOf(error: unknown): unknown {
  if (error instanceof InvalidInput)
    return unusable(
      error.problems.map(({ property, message }) => ({ path: property.replace(/^@\.?/, ""), message })),
    );
  if (error instanceof CostlyMatch) return unusable([{ path: error.path, message: error.message }]);
  if (error instanceof LimitReached) return new ControlError(`${error.of}.tooMany`, { limit: error.limit });
  if (error instanceof LeaseHeldElsewhereError) return new ControlError("sandboxes.elsewhere");
  if (error instanceof PersistenceUnavailableError) return new ControlError("store.unavailable", error.scope);
  if (error instanceof Refusal && error.key === "limits.overloadError")
    return new ControlError("memory.full", error.scope);
  if (error instanceof Refusal && isControlRefusal(error.key))
    return new ControlError(error.key, error.scope);
  return error;
}
