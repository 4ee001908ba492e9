/** The catalogue of refusals: every refusal of a rule or check, when it occurs, and how each API answers it. */
import { isKeyOf } from "../../kernel/objects.js";
import { REFUSAL_ANSWERS } from "../behaviour/answers.js";
import type { AnswerTemplate } from "../behaviour/entry.js";
import type { BehaviourKey, RefusalAnswerKey } from "../behaviour/table.js";

/** A rule refused its input; the world is unchanged. */
export class Refusal extends Error {
  constructor(
    readonly key: RefusalKey,
    /** The values for the placeholders of its answer. */
    readonly scope: Readonly<Record<string, unknown>> = {},
    /** The behaviour entry that caused it, if none decides its answer. */
    readonly behaviour?: BehaviourKey,
  ) {
    super(key);
    this.name = "Refusal";
  }
}

/** The texts of the validation dialect (see `api/validation/rules.ts`) that rules use too. */
export const MISSING = "is missing and not optional";
export const EMPTY = "must be longer than 1 elements, but it has 0";

interface InputProblem {
  readonly message: string;
  readonly property: string;
}

/** The input itself is invalid, at named properties. */
export class InvalidInput extends Error {
  constructor(
    readonly problems: readonly InputProblem[],
    /** The behaviour entry that makes it invalid. */
    readonly behaviour?: BehaviourKey,
    /** What is wrong with the headers that the input came with. */
    readonly headers: readonly InputProblem[] = [],
  ) {
    super([...problems, ...headers].map(({ property, message }) => `${property} ${message}`).join("; "));
    this.name = "InvalidInput";
  }
}

interface ServiceRefusal {
  readonly when: string;
  /** The section of the specification that it belongs to. */
  readonly section: string;
  /** The answer, or its default if a behaviour entry decides it. */
  readonly answer: AnswerTemplate;
  /** The behaviour entry that decides the answer; omitted if the answer is fixed. */
  readonly behaviour?: RefusalAnswerKey;
}

const fixed = (when: string, section: string, status: number, body: object): ServiceRefusal => ({
  when,
  section,
  answer: { status, body },
});

const DELETE_USER = "Endpoints / Delete user by email";
const OTHER_ERRORS = "Errors";
const LIMITS = "Limits";

/** The refusals whose answers the specification states (specification: "Errors"), or that an integration does not read. */
const FIXED = {
  "users.notFound": fixed("The token's organization has no such user", DELETE_USER, 404, {
    error: "User not found in organization",
  }),
  "users.lastRepresentative": fixed(
    "The user is the last customer representative of a business",
    DELETE_USER,
    400,
    {
      error: "User cannot be deleted as they are the last customer representative in one or more businesses",
    },
  ),
  "users.lastInPool": fixed("The user is the last member of an escalation pool", DELETE_USER, 400, {
    error:
      "User cannot be deleted as they are the last person in the escalation pool for business ${businessId}",
  }),
  "widget.foreignBusiness": fixed(
    "The business does not belong to the token's organization",
    "Errors / Widget route",
    403,
    { developerMessage: "Business does not belong to this organization" },
  ),
  "users.deleteSelfError": fixed(
    "A token deletes its own user, and users.deleteSelf is refuse",
    DELETE_USER,
    403,
    { error: "A token cannot delete its own user" },
  ),
  "http.unknownPath": fixed("The path is unknown", OTHER_ERRORS, 404, {
    error: "No such endpoint: ${method} ${path}",
  }),
  "http.wrongMethod": fixed("The path is known, but not with this method", OTHER_ERRORS, 405, {
    error: "Method ${method} is not allowed for ${path}: use ${allowed}",
  }),
  "http.unknownHost": fixed(
    "A browser's Host is not an IP address, localhost, the listening host or an --allow-host",
    OTHER_ERRORS,
    403,
    {
      error:
        "A browser may not call this server as ${host} (DNS rebinding): start it with --allow-host ${name} to accept it",
    },
  ),
  "http.unknownEncoding": fixed("The Content-Encoding is not gzip, deflate or br", OTHER_ERRORS, 415, {
    error: "Content-Encoding must be gzip, deflate or br, but is ${encoding}",
  }),
  "limits.bodyError": fixed("The body is larger than limits.bodyBytes", LIMITS, 413, {
    error: "Request body is larger than ${limit} bytes",
  }),
  "limits.overloadError": fixed("The call exceeds the simulator's own bounds", LIMITS, 503, {
    error: "Service unavailable: ${reason}",
  }),
  "store.unavailable": fixed("The change cannot be saved", OTHER_ERRORS, 503, {
    error: "Storage unavailable: ${reason}",
  }),
} as const;

interface ControlRefusal {
  /** Whether something that the call names is missing, or the current state forbids the call. */
  readonly code: "not-found" | "conflict";
  /** A template: `${…}` is replaced by values of the refused call. */
  readonly message: string;
}

const notFound = (message: string): ControlRefusal => ({ code: "not-found", message });
const conflict = (message: string): ControlRefusal => ({ code: "conflict", message });

/** The refusals of rules that the control API runs, including those that operations of the service share. */
export const CONTROL_REFUSALS = {
  "threads.notFound": notFound('there is no thread "${customerThreadId}"'),
  "businesses.notFound": notFound('there is no business "${businessId}"'),
  "employees.notFound": notFound('there is no user "${userId}" in the thread\'s organization'),
  "employees.noAccess": conflict('user "${userId}" may not access thread "${threadId}"'),
  "transfers.sameBusiness": conflict('the thread already belongs to business "${businessId}"'),
  "transfers.otherOrganization": conflict('business "${businessId}" belongs to another organization'),
  "transfers.noEmployee": conflict('business "${businessId}" has no user who could take the thread'),
  "windows.noWindow": conflict("a thread on ${channel} has no messaging window to close"),
  "window.closedError": conflict(
    "the messaging window is closed: only internal text may be sent, and only if window.internalMessages is exempt",
  ),
  "events.noThread": conflict("no thread can provide the missing fields"),
} as const satisfies Record<string, ControlRefusal>;

export type ServiceRefusalKey = keyof typeof FIXED | RefusalAnswerKey;
export type ControlRefusalKey = keyof typeof CONTROL_REFUSALS;
type RefusalKey = ServiceRefusalKey | ControlRefusalKey;

export const isServiceRefusal = (key: RefusalKey): key is ServiceRefusalKey =>
  isKeyOf(FIXED, key) || isKeyOf(REFUSAL_ANSWERS, key);
export const isControlRefusal = (key: RefusalKey): key is ControlRefusalKey => isKeyOf(CONTROL_REFUSALS, key);

export function serviceRefusal(key: ServiceRefusalKey): ServiceRefusal {
  if (isKeyOf(FIXED, key)) return FIXED[key];
  const { question, section, default: answer } = REFUSAL_ANSWERS[key];
  return { when: question, section, answer, behaviour: key };
}
