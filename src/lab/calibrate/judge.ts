/** Compares recorded exchanges with what the simulator does, as far as the specification or the table defines it. */

import { OPERATIONS } from "../../api/operations/index.js";
import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { describeSchema } from "../../kernel/words.js";
import { isIdField, isTimeField } from "../../scenarios/trace.js";
import type { OperationId } from "../../service/behaviour/entry.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  transferEventSchema,
} from "../../service/domain/event-payload-schemas.js";
import { serviceRefusal } from "../../service/domain/refusals.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import type { Played } from "./player.js";
import type { Exchange, Trace } from "./trace.js";
import { threadIn } from "./world.js";

export interface Difference {
  /** `status`, or a path such as `body.status`. */
  readonly path: string;
  readonly expected: unknown;
  readonly seen: unknown;
  /** Whether a value has another type than documented, or is missing. */
  readonly isForm: boolean;
}

const EVENT_SECTIONS = {
  message: ["Events / Message event payload", messageEventSchema],
  transfer: ["Events / Transfer event payload", transferEventSchema],
  legacy: ["Events / Legacy delivery payload", legacyPayloadSchema],
} as const;

const operationOf = (id: OperationId | undefined) => OPERATIONS.find((operation) => operation.id === id);

/** The documented fields anywhere in an answer. */
const DOCUMENTED = new Set<string>(
  OPERATIONS.flatMap(({ success }) => (typeof success === "string" ? [] : namesIn(success))),
);

function namesIn({ properties = {}, items, anyOf = [] }: Schema): string[] {
  const parts = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...parts.flatMap(namesIn)];
}

const isRefusal = (status: number | undefined): boolean => (status ?? 0) >= 400;

/** How an exchange differs from the simulator's. Of a whole answer in the table, only whether it is a refusal is compared. */
export function differencesOf(played: Played): Difference[] {
  const { exchange, status, body, outcome, answer, misbound } = played;
  const { kind, message } = exchange;
  const bound = misbound.map((path) => ({
    path,
    expected: "the id of another record",
    seen: "an id that it already has",
    isForm: false,
  }));
  if (kind !== "call") {
    if (body === undefined)
      return [
        ...bound,
        { path: "delivery", expected: undefined, seen: message.request.value, isForm: false },
      ];
    return [...bound, ...compare(body, message.request.value, "body")];
  }
  const seen = message.response.value;
  const statuses = (expected: unknown) => ({ path: "status", expected, seen: message.status, isForm: false });
  if (exchange.operation === "graphql" && outcome !== "success") {
    const hasErrors = isObject(seen) && seen.errors !== undefined;
    // Neither the status of a call without a key is fixed, nor how GraphQL reports it.
    if (status === 401 && (isRefusal(message.status) || hasErrors)) return [];
    const isSame = isRefusal(status) === isRefusal(message.status) || (status === 200 && hasErrors);
    if (!isSame || (status === 200) !== (message.status === 200)) return [statuses(status)];
    return errorForm(body) === errorForm(seen)
      ? []
      : [{ path: "body", expected: errorForm(body), seen: errorForm(seen), isForm: false }];
  }
  if (isRefusal(status) !== isRefusal(message.status)) return [statuses(status)];
  if (answer !== undefined) return waitingTime(played);
  if (status !== message.status) return [statuses(status)];
  if (outcome === "invalid") return invalidForm(played);
  const found = compare(body, seen, "body");
  const { success } = operationOf(exchange.operation) ?? {};
  const isTold = found.length === 0 || found.some(({ isForm }) => isForm) || isRefusal(status);
  const missing = isTold || typeof success !== "object" ? [] : missingIn(seen, success, "body");
  return [...bound, ...missing, ...found];
}

/** The required fields that an answer lacks: the items of lists of different lengths are not compared. */
function missingIn(
  value: unknown,
  { properties = {}, required = [], items }: Schema,
  path: string,
): Difference[] {
  if (Array.isArray(value))
    return items === undefined
      ? []
      : value.flatMap((item, index) => missingIn(item, items, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const expected = (name: string) => describeSchema(properties[name]);
  return [
    ...required
      .filter((name) => !(name in value))
      .map((name) => ({ path: `${path}.${name}`, expected: expected(name), seen: undefined, isForm: true })),
    ...Object.entries(properties).flatMap(([name, schema]) =>
      missingIn(value[name], schema, `${path}.${name}`),
    ),
  ];
}

/** Whether a refusal for too many calls has the right waiting time. */
function waitingTime({ exchange, answer, scope }: Played): Difference[] {
  if (answer !== "limits.rateError") return [];
  const seen = Number(exchange.message.responseHeaders["retry-after"] ?? Number.NaN);
  const { retryAfter: expected } = scope;
  const isSame = Number.isNaN(seen) || Math.abs(seen - Number(expected)) <= 1;
  return isSame ? [] : [{ path: "headers.retry-after", expected, seen, isForm: false }];
}

/** The fields of GraphQL errors. */
function errorForm(body: unknown): string {
  const errors = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  const first: unknown = errors[0];
  return isObject(first)
    ? ["message", "path", "code"].filter((name) => name in first).join(", ")
    : "no errors";
}

/** The validator's texts may differ, except for those that the specification shows. */
function invalidForm({ exchange, body }: Played): Difference[] {
  const seen = exchange.message.response.value;
  const form = (value: unknown) =>
    isObject(value) && Array.isArray(value.body) && Array.isArray(value.headers)
      ? "body and headers"
      : "error";
  if (form(body) !== form(seen))
    return [
      { path: "body", expected: body, seen, isForm: operationOf(exchange.operation)?.showsInvalid === true },
    ];
  const isShown =
    exchange.operation === "deleteUserByEmail" &&
    JSON.stringify(body).includes("is missing and not optional");
  return isShown ? compare(body, seen, "body").map((one) => ({ ...one, isForm: true })) : [];
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

function compare(ours: unknown, theirs: unknown, path: string, name = ""): Difference[] {
  const differ = (isForm: boolean): Difference[] => [{ path, expected: ours, seen: theirs, isForm }];
  if (typeOf(ours) !== typeOf(theirs)) return differ(true);
  if (Array.isArray(ours) && Array.isArray(theirs)) return compareLists(ours, theirs, path, name);
  if (isObject(ours) && isObject(theirs)) {
    // An empty record may be stored, or mean that there is none.
    if (name === "lastSurveys" && Object.keys(theirs).length === 0) return [];
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) => {
      const at = `${path}.${key}`;
      if (!(key in theirs)) return [{ path: at, expected: ours[key], seen: undefined, isForm: true }];
      if (!(key in ours))
        return DOCUMENTED.has(key) || key === "employeeUserId"
          ? [{ path: at, expected: undefined, seen: theirs[key], isForm: false }]
          : [];
      if (key === "businessParticipationId" && typeof theirs[key] === "number")
        return (ours[key] === ours.newBusinessId) === (theirs[key] === theirs.newBusinessId)
          ? []
          : [{ path: at, expected: ours[key], seen: theirs[key], isForm: false }];
      return compare(ours[key], theirs[key], at, key);
    });
  }
  if (isTimeField(name) && typeof ours === "number" && typeof theirs === "number")
    return magnitude(ours) === magnitude(theirs) ? [] : differ(false);
  if (isIdField(name)) return (ours === 0) === (theirs === 0) ? [] : differ(false);
  return ours === theirs ? [] : differ(false);
}

/** An instant in seconds has three digits fewer than one in milliseconds. */
const magnitude = (instant: number): "s" | "ms" => (instant < 100_000_000_000 ? "s" : "ms");

function compareLists(
  ours: readonly unknown[],
  theirs: readonly unknown[],
  path: string,
  name: string,
): Difference[] {
  if (name === "customerData" && theirs.length === 0) return [];
  if (ours.length !== theirs.length) return [{ path, expected: ours, seen: theirs, isForm: false }];
  const sorted = (list: readonly unknown[]) => [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const others = sorted(theirs);
  return sorted(ours).flatMap((item, index) => compare(item, others[index], `${path}[${index}]`, name));
}

/** A sort key, since the order of lists is undefined. */
const keyOf = (item: unknown): string =>
  isObject(item) ? String(item.url ?? item.contentSid ?? item.name ?? "") : String(item);

/** The section of the specification that an unexplained exchange contradicts; a text if more would have to be known. */
export function blame(
  played: Played,
  differences: readonly Difference[],
  trace: Trace,
): { section: string } | string {
  const { exchange, status, outcome, answer } = played;
  const { kind, message, operation: id } = exchange;
  const first = differences.find(({ isForm }) => isForm) ?? differences[0];
  if (kind !== "call") {
    if (
      first?.isForm === true ||
      (/^body\.(?:data\.)?customerType$/.test(first?.path ?? "") && kind === "legacy")
    )
      return { section: EVENT_SECTIONS[kind][0] };
    return `the payload differs in ${first?.path}: one would have to know what had happened in the thread before`;
  }
  const operation = operationOf(id);
  const section = operation?.section ?? "Endpoints";
  if (first?.isForm === true)
    return {
      section: isRefusal(message.status) && operation?.showsInvalid ? errorSection(id, outcome) : section,
    };
  if (isRefusal(message.status) && !isRefusal(status))
    return `refused with ${message.status}: one would have to know why, and no entry of the table leads there`;
  if (isRefusal(status) && !isRefusal(message.status)) {
    if (outcome === "invalid") return { section };
    if (answer === "auth.missing") return { section: "Authentication" };
    if (answer === "window.closedError") return { section: "States and transitions / Messaging window" };
    return `accepted, which the simulator refuses (${outcome}): one would have to know the records that it meets`;
  }
  if (isRefusal(status)) {
    const isShown =
      outcome !== undefined &&
      outcome !== "success" &&
      outcome !== "invalid" &&
      serviceRefusal(outcome as never).behaviour === undefined;
    // Another refusal may have come first, but not with this one's text.
    const isSameText =
      first?.path === "status" && compare(played.body, message.response.value, "").length === 0;
    const isOther = outcome === "users.notFound" && [400, 401, 403, 429].includes(message.status);
    if (isShown && (isSameText || !isOther)) return { section: errorSection(id, outcome) };
    if (outcome === "invalid" && operation?.showsInvalid) return { section: errorSection(id, outcome) };
    const isWidget = id === "sendMessageToBusiness" && answer?.startsWith("auth.");
    if (isWidget && message.status !== 401) return { section: "Errors / Widget route" };
    return `refused with ${message.status} and not as the simulator does (${outcome}): one would have to know why`;
  }
  if (first?.path === "status")
    return id === "deleteUserByEmail" || id === "sendMessageToBusiness"
      ? { section }
      : `status ${message.status} is in no entry of the table`;
  return blameValue(exchange, first, trace, section);
}

const errorSection = (id: OperationId | undefined, outcome: string | undefined): string =>
  outcome === "invalid" && id === "sendMessageToBusiness"
    ? "Errors / Validation error shape"
    : id === "deleteUserByEmail"
      ? "Errors / Delete user by email"
      : "Errors / Widget route";

/** A value that contradicts the preceding calls. */
function blameValue(
  exchange: Exchange,
  first: Difference | undefined,
  trace: Trace,
  section: string,
): { section: string } | string {
  const { operation: id } = exchange;
  const isAbout = (other: Exchange) =>
    other !== exchange &&
    other.at <= exchange.at &&
    (threadIn(other) ?? other.params.customerId) === (threadIn(exchange) ?? exchange.params.customerId);
  const before = trace
    .slice(0, trace.indexOf(exchange))
    .findLast((other) => (other.kind === "call" ? isAbout(other) : false));
  if (id === "getCustomerThreadDetails" && first?.path === "body.status") {
    if (!THREAD_STATUSES.some((status) => status === first.seen)) return { section };
    if (before?.operation === "updateThreadStatus")
      return { section: "States and transitions / Thread status" };
  }
  if (id === "getCustomerProfile" && before?.operation === "updateCustomerProfile")
    return { section: "Endpoints / Update customer profile" };
  if (id === "graphql" || id?.endsWith("Webhook") || id === "listWebhooks") return { section };
  if (id === "deleteUserByEmail" || id === "sendMessageToBusiness") return { section };
  return `${first?.path} is another one: one would have to know who has changed it`;
}
