/** Every refusal of the control API, and the error that carries one. */

import type { Admission } from "../kernel/http/admission.js";
import { RETRY_AFTER_S } from "../kernel/http/admission.js";
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
  /** A template: `${…}` stands for what the call gave or met. */
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
  error("conflict", `There are too many ${what}`, `there are \${limit} ${what} already${advice}`);
const conflict = (when: string, message: string) => error("conflict", when, message);

const OWN_ERRORS = {
  "input.unusable": error("unusable-input", "The input is not usable", "${what} is unusable: ${problems}"),
  "access.unauthorized": error(
    "unauthorized",
    "The control token is missing or wrong",
    "the call needs the header Authorization: Bearer <control token>",
  ),
  "access.crossOrigin": error(
    "cross-origin",
    "A page of another origin writes",
    "a page of another origin may not change anything here",
  ),
  "access.unknownHost": error(
    "unknown-host",
    "The Host is no name of the server, and no control token guards the route",
    '"${host}" is no name of this server: start it with --allow-host ${name} to let it through',
  ),
  "routes.unknown": error(
    "unknown-route",
    "The path is no route of the control API",
    "${path} is no route of the control API${hint}",
  ),
  "routes.wrongMethod": error(
    "wrong-method",
    "The route does not take the method",
    "${method} is not a method of ${path}: use ${allowed}",
  ),
  "http.malformed": error(
    "unusable-input",
    "What came is no HTTP that can be read",
    "what came is no HTTP/1.1 request with one Host",
  ),
  "http.transferEncoding": error(
    "unusable-input",
    "Nobody knows where the body ends (header `Transfer-Encoding`)",
    "Transfer-Encoding must be chunked, in HTTP/1.1",
  ),
  "http.tunnel": error(
    "no-tunnel",
    "The simulator is asked for a tunnel (`CONNECT`), as a proxy is for an `https://` address",
    "the simulator opens no tunnels to https:// addresses: intercept a Node program with messaging-sim/intercept, or use http:// addresses",
  ),
  "http.slow": error(
    "timeout",
    "The request did not come in as a whole in time",
    "the request took too long to come in",
  ),
  "http.extensions": error(
    "too-large",
    "The extensions of the body's chunks are too long",
    "the extensions of the body's chunks are too long",
  ),
  "http.expectation": error(
    "unknown-expectation",
    "The call expects what nobody knows (header `Expect`)",
    "the only expectation that is known is 100-continue",
  ),
  "http.headers": error(
    "headers-too-large",
    "Target and headers are too long",
    "target and headers may have ${limit} bytes together",
  ),
  "body.encoding": error(
    "unknown-encoding",
    "The encoding of the body is unknown (header `Content-Encoding`)",
    "Content-Encoding must be gzip, deflate or br, but is ${encoding}",
  ),
  "body.tooLarge": error("too-large", "The body is too large", "a body may have ${limit} bytes"),
  "sandboxes.notFound": notFound("sandbox"),
  "sandboxes.taken": conflict("The id is taken", 'there is a sandbox "${id}" already'),
  "sandboxes.tooMany": tooMany("sandboxes", ": delete some, or give them a ttlMs"),
  "sandboxes.default": conflict(
    "The sandbox default cannot be deleted",
    'the sandbox "${id}" is always there: reset it instead',
  ),
  "sandboxes.elsewhere": error(
    "elsewhere",
    "Another process has the sandbox, where several share a store",
    "another process has the sandbox: make the call again, on another connection",
  ),
  "snapshots.notFound": notFound("snapshot"),
  "state.overtaken": conflict(
    "A reset has come while a state was read",
    "a reset came in between: the state of before is not put in place",
  ),
  "snapshots.tooMany": tooMany("snapshots", ": delete some first"),
  "collections.notFound": notFound("collection", 'there is no collection "${id}": it must be ${collections}'),
  "records.notFound": notFound("record", 'there is no record in ${collection} with the id "${id}"'),
  "records.taken": conflict("Another record has its id", "there is ${id} among the ${collection} already"),
  "records.notUnique": conflict(
    "Another record has a value that must be unique",
    "${id} of the ${collection} has the same ${value} in the organization",
  ),
  "records.inUse": conflict("Other records name it", "${collection} ${id} cannot go: ${problems}${more}"),
  "records.otherOrganization": conflict(
    "Records of its organization name it, and it moves to another",
    "the organization cannot change: ${problems}${more}",
  ),
  "faults.notFound": notFound("fault"),
  "scenarios.notFound": notFound("scenario", 'there is no scenario "${id}": see GET /__sim/scenarios'),
  "faults.tooMany": tooMany("faults", ": remove some first"),
  "deliveries.notFound": notFound("delivery"),
  "deliveries.notHeld": conflict("No fault holds it back", "the delivery ${id} is not held back by a fault"),
  "webhooks.notFound": notFound("webhook"),
  "webhooks.circle": conflict(
    "The simulator itself calls",
    "the call comes from the simulator itself: a webhook points at its control API",
  ),
  "waits.timeout": error(
    "timeout",
    "The time was up before enough entries matched",
    "${found} of ${count} had come after ${timeoutMs} ms${hints}",
  ),
  "waits.notIdle": error(
    "timeout",
    "The time was up, and calls or deliveries were on their way",
    "not idle after ${timeoutMs} ms: on their way are ${onTheirWay}",
  ),
  "waits.notHeld": error(
    "timeout",
    "The time was up before the state held the record",
    "after ${timeoutMs} ms ${what}",
  ),
  "verify.failed": error(
    "expectation",
    "Too few or too many match, or entries that could have mattered were evicted",
    "${found} match where there should be ${expected}${gone}",
  ),
  "waits.tooMany": tooMany("waits open"),
  "waits.sandboxGone": conflict(
    "The sandbox was deleted meanwhile",
    "the sandbox was deleted while it was waited on",
  ),
  "streams.tooMany": tooMany("streams open"),
  "streams.pipelined": error(
    "unusable-input",
    "A stream is asked for on a connection that still waits for earlier answers",
    "a stream cannot begin before the earlier answers of its connection are over: open a connection of its own",
  ),
  "sinks.aborted": error("abandoned", "A reset has aborted the delivery", "a reset came in between"),
  "sinks.tooLarge": error("too-large", "The body is too large", "a sink takes ${limit} bytes"),
  "scenarios.unusable": error(
    "unusable-scenario",
    "The scenario is not usable",
    "the scenario is unusable: ${problems}",
  ),
  "scenarios.running": conflict(
    "Another scenario runs in the sandbox",
    "a scenario is running in the sandbox ${id}: run this one afterwards, or in a sandbox of its own",
  ),
  "scenarios.ended": conflict(
    "The sandbox was reset or deleted meanwhile",
    "the sandbox was reset or deleted while the scenario ran in it",
  ),
  "load.tooMuch": error(
    "overloaded",
    "More is under way than the simulator does at once",
    "${reason}: come again in a second",
  ),
  "store.unavailable": error(
    "overloaded",
    "The change cannot be kept in the folder or on the server of --data",
    "${reason}",
  ),
  "store.none": error(
    "conflict",
    "The simulator keeps nothing",
    "nothing is kept: the simulator was started without --data",
  ),
  "memory.full": error(
    "insufficient-storage",
    "Worlds would take more memory than they may",
    "${reason}: reset or delete sandboxes or snapshots, or start with a larger --memory",
  ),
  "simulator.closing": error("closing", "The simulator ends meanwhile", "the simulator ends"),
  "simulator.failed": error(
    "internal",
    "The simulator itself is at fault",
    "The simulator failed: this is a bug in it",
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

/** The headers that say more of an error, by its code. */
export const HEADERS_OF: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ["WWW-Authenticate", 'Bearer realm="messaging-sim"'],
  overloaded: ["Retry-After", String(RETRY_AFTER_S)],
  // The next attempt takes another connection, and so another way.
  elsewhere: ["Connection", "close", "Retry-After", String(RETRY_AFTER_S)],
};

/** A refused control call. Its status, code and message are those of the catalogue. */
export class ControlError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(
    readonly key: ControlErrorKey,
    readonly scope: Scope = {},
    readonly details: readonly ErrorDetail[] = [],
    /** Headers of the answer, as a flat list. */
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

/** The answer to a call whose sandbox another process has: the same of the control API and the simulated one. */
export function elsewhereAnswer(): { status: number; body: object; headers: string[] } {
  const error = new ControlError("sandboxes.elsewhere");
  return { status: error.status, body: error.toJSON(), headers: [...(HEADERS_OF[error.code] ?? [])] };
}

/** An error about problems, which are its details. `scope` fills the other placeholders of its message. */
export function problemsError(
  key: ControlErrorKey,
  problems: readonly Problem[],
  scope: Scope = {},
): ControlError {
  const listed = listable(problems);
  const texts = listed.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return new ControlError(key, { ...scope, problems: texts.join("; ") }, listed);
}

/** As many problems as an answer lists, and how many more there are. */
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

/** @throws ControlError where there is a reason why a call cannot be taken now, and counts it */
export function refuseExcess(load: Admission, reason: string | undefined): void {
  if (reason === undefined) return;
  load.refused += 1;
  throw new ControlError("load.tooMuch", { reason });
}

/** What a rule's refusal is for the control API; other errors are given back as they are. */
export function controlErrorOf(error: unknown): unknown {
  if (error instanceof InvalidInput)
    return unusable(
      error.problems.map(({ property, message }) => ({ path: property.replace(/^@\.?/, ""), message })),
    );
  if (error instanceof LimitReached) return new ControlError(`${error.of}.tooMany`, { limit: error.limit });
  if (error instanceof LeaseHeldElsewhereError) return new ControlError("sandboxes.elsewhere");
  if (error instanceof PersistenceUnavailableError) return new ControlError("store.unavailable", error.scope);
  if (error instanceof Refusal && error.key === "limits.overloadError")
    return new ControlError("memory.full", error.scope);
  if (error instanceof Refusal && isControlRefusal(error.key))
    return new ControlError(error.key, error.scope);
  return error;
}
