/** The catalogue of control errors (contract section 5): every refusal of the control API, when it comes and what it says. */
import type { ControlRefusalKey } from "../domain/refusals.js";
import { CONTROL_REFUSALS } from "../domain/refusals.js";

/** What callers tell errors by, each with its HTTP status. */
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
  internal: 500,
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

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

const OWN_ERRORS = {
  "input.unusable": error("unusable-input", "The input is not usable", "${what} is unusable: ${problems}"),
  "scenarios.unusable": error(
    "unusable-scenario",
    "The scenario is not usable",
    "the scenario is unusable: ${problems}",
  ),
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
    "There is no control token, and the Host is no name of the server",
    '"${host}" is no name of this server: start it with --allow-host ${name} to let it through',
  ),
  "routes.unknown": error(
    "unknown-route",
    "The path is no route of the control API",
    "${path} is no route of the control API",
  ),
  "routes.wrongMethod": error(
    "wrong-method",
    "The route does not take the method",
    "${method} is not a method of ${path}: use ${allowed}",
  ),
  "body.tooLarge": error("too-large", "The body is too large", "a body may have ${limit} bytes"),
  "sandboxes.notFound": error("not-found", "There is no such sandbox", 'there is no sandbox "${id}"'),
  "sandboxes.taken": error("conflict", "The id is taken", 'there is a sandbox "${id}" already'),
  "sandboxes.tooMany": error(
    "conflict",
    "There are too many sandboxes",
    "there are ${limit} sandboxes already: delete some, or give them a ttlMs",
  ),
  "sandboxes.default": error(
    "conflict",
    "The sandbox default cannot be deleted",
    'the sandbox "${id}" is always there: reset it instead',
  ),
  "snapshots.notFound": error("not-found", "There is no such snapshot", 'there is no snapshot "${name}"'),
  "snapshots.tooMany": error(
    "conflict",
    "There are too many snapshots",
    "there are ${limit} snapshots already: delete some first",
  ),
  "collections.notFound": error(
    "not-found",
    "There is no such collection",
    'there is no collection "${name}": it must be ${collections}',
  ),
  "records.notFound": error(
    "not-found",
    "There is no such record",
    'there is no record in ${collection} with the id "${id}"',
  ),
  "records.taken": error(
    "conflict",
    "Another record has its id",
    "there is ${id} among the ${collection} already",
  ),
  "records.notUnique": error(
    "conflict",
    "Another record has a value that must be unique",
    "${id} of the ${collection} has the same ${value} in the organization",
  ),
  "records.inUse": error(
    "conflict",
    "Other records name it",
    "${collection} ${id} cannot go: ${problems}${more}",
  ),
  "records.otherOrganization": error(
    "conflict",
    "Records of its organization name it, and it moves to another",
    "the organization cannot change: ${problems}${more}",
  ),
  "faults.notFound": error("not-found", "There is no such rule", 'there is no fault "${id}"'),
  "faults.tooMany": error(
    "conflict",
    "There are too many rules",
    "there are ${limit} faults already: remove some first",
  ),
  "deliveries.notFound": error("not-found", "There is no such delivery", 'there is no delivery "${id}"'),
  "webhooks.notFound": error("not-found", "There is no such webhook", 'there is no webhook "${id}"'),
  "waits.timeout": error(
    "timeout",
    "The time was up before enough entries matched",
    "${found} of ${count} had come after ${timeoutMs} ms",
  ),
  "waits.notIdle": error(
    "timeout",
    "The time was up, and calls or deliveries were on their way",
    "not idle after ${timeoutMs} ms: on their way are ${onTheirWay}",
  ),
  "waits.tooMany": error("conflict", "Too many waits are open", "there are ${limit} waits open already"),
  "waits.sandboxGone": error(
    "conflict",
    "The sandbox was deleted meanwhile",
    "the sandbox was deleted while it was waited on",
  ),
  "streams.tooMany": error(
    "conflict",
    "Too many streams are open",
    "there are ${limit} streams open already",
  ),
  "sinks.aborted": error(
    "abandoned",
    "A reset has aborted the delivery on its way",
    "a reset came in between",
  ),
  "sinks.tooLarge": error("too-large", "The body is too large", "a sink takes ${limit} bytes"),
  "simulator.failed": error(
    "internal",
    "The simulator itself is at fault",
    "The simulator failed: this is a bug in it",
  ),
} as const satisfies Record<string, ControlErrorEntry>;

export type ControlErrorKey = keyof typeof OWN_ERRORS | ControlRefusalKey;

export const CONTROL_ERROR_KEYS = [
  ...Object.keys(OWN_ERRORS),
  ...Object.keys(CONTROL_REFUSALS),
] as readonly ControlErrorKey[];

const isOwn = (key: ControlErrorKey): key is keyof typeof OWN_ERRORS => Object.hasOwn(OWN_ERRORS, key);

/** What the catalogue says of an error. */
export function controlErrorEntry(key: ControlErrorKey): ControlErrorEntry {
  if (isOwn(key)) return OWN_ERRORS[key];
  const { kind, when, message } = CONTROL_REFUSALS[key];
  return { code: kind, when, message };
}
