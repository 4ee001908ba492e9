/** The input of a calibration: exchanges from recorded files or from probes. */

import { isObject } from "../../kernel/json.js";
import { getOrInsert } from "../../kernel/objects.js";
import type { OperationId } from "../../service/behaviour/entry.js";

/** A body: its size in bytes, and its value if it is JSON, otherwise its text. */
interface Content {
  readonly bytes: number;
  /** Whether there was a body that the recording does not have. */
  readonly isLost?: true;
  /** Undefined without a body, and for one that is not JSON. */
  readonly value: unknown;
  readonly text?: string;
  /** Why it is not JSON. */
  readonly problem?: string;
}

/** A request and its response. Header names are in lower case. */
export interface Message {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Content;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Content;
  readonly durationMs: number;
}

/** A call to the service with its answer, or a delivery from the service with the receiver's answer. */
export interface Exchange {
  readonly file: string;
  /** Its index among the entries of its file. */
  readonly index: number;
  /** When it started, ms. */
  readonly at: number;
  readonly kind: "call" | "message" | "transfer" | "legacy";
  readonly message: Message;
  /** The operation, for a documented path and method. */
  readonly operation: OperationId | undefined;
  /** The path without the prefix in the recorded address. */
  readonly path: string;
  /** The address that a delivery went to. */
  readonly url: string;
  readonly query: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Whether an answer shows what a call did: one that contradicts the specification shows nothing. */
export type Trust = "clear" | "unclear" | "contradicted";

/** Something that calls change, and until when one of them was under way. */
export interface Changing {
  busyUntil: number;
}

/** Exchanges in order of their start. */
export type Trace = readonly Exchange[];

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const sentIn = ({ message }: Exchange): Fields => fieldsOf(message.request.value);
export const shownIn = ({ message }: Exchange): Fields => fieldsOf(message.response.value);
export const tokenOf = ({ message }: Exchange): string => message.headers.token ?? "";
/** When the answer had come: the service got the call at some time before. */
export const endOf = ({ at, message }: Exchange): number => at + Math.ceil(message.durationMs);

/** An id, as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** The threads that a call names: more than one if the query repeats the parameter. */
export function threadsIn(call: Exchange): string[] {
  const { operation } = call;
  if (operation === "sendMessageToCustomerThread" || operation === "updateThreadStatus")
    return [textOf(sentIn(call).customerThreadId) ?? []].flat();
  return new URLSearchParams(call.query).getAll("customerThreadId");
}

/** The webhooks in an answer of any form. */
export function hooksIn(value: unknown): (Fields & { readonly hookId: string })[] {
  if (Array.isArray(value)) return value.flatMap(hooksIn);
  if (!isObject(value)) return [];
  const { hookId } = value;
  return typeof hookId === "string" ? [{ ...value, hookId }] : Object.values(value).flatMap(hooksIn);
}

export const NOT_JSON = "its response is not JSON, which no entry of the table can have";

/** Why an exchange says nothing about an operation: what every service may answer at any time, or what was not recorded. */
export function unclear({ message }: Exchange): string | undefined {
  const { status, request, response, responseHeaders } = message;
  if (request.isLost) return "the recording lacks its request body";
  if (status === 413 || status === 415) return undefined;
  if (status === 429 || responseHeaders["retry-after"] !== undefined)
    return "too many calls: the recording does not show the limit and the other calls";
  if (status >= 500 || status === 408 || status === 425)
    return `answered ${status}: the service or a proxy was unavailable`;
  if (status < 200 || (status >= 300 && status < 400))
    return `answered ${status}, which no entry of the table has`;
  if (response.isLost) return "the recording lacks its response body";
  if (status >= 400 && response.value === undefined) return NOT_JSON;
  return undefined;
}

/** Whether the service did what it was asked; unclear exchanges say nothing about that. */
export function isAccepted(call: Exchange): boolean {
  const { status, response } = call.message;
  const isRefused =
    call.operation === "graphql" && (!isObject(response.value) || response.value.errors !== undefined);
  return (
    status >= 200 && status < 300 && !isRefused && (response.bytes === 0 || response.value !== undefined)
  );
}

/**
 * What a call means for what is known of something: its answer shows the state, or the state cannot be known after it. `isChange`:
 * whether the call changes it, so that other calls before the answer may see either state.
 */
export function effectOf(
  known: Changing,
  call: Exchange,
  trust: Trust,
  isChange: boolean,
): "take" | "keep" | "forget" {
  const isOverlapping = call.at < known.busyUntil;
  if (isChange) known.busyUntil = Math.max(known.busyUntil, endOf(call));
  if (trust === "contradicted" || (isChange && (isOverlapping || trust === "unclear"))) return "forget";
  return trust === "clear" && !isOverlapping && isAccepted(call) ? "take" : "keep";
}

/** Times below are in seconds. */
export const SECONDS_BELOW = 100_000_000_000;

/** The kind of a payload; undefined if it is none. */
export function payloadKindOf(body: unknown): "message" | "transfer" | "legacy" | undefined {
  if (!isObject(body)) return undefined;
  const { eventType, data } = body;
  if ((eventType === "message" || eventType === "transfer") && isObject(data)) return eventType;
  return "messageId" in body && "messageBody" in body && "customerThreadId" in body ? "legacy" : undefined;
}

/** The fields of an event, in any form of its payload. */
export function eventOf({ kind, message }: Exchange): Fields {
  const body = message.request.value as Fields;
  return kind === "legacy" ? body : (body.data as Fields);
}

/** A key that is shared by all deliveries of one event, and by no others. */
export function eventIdOf(exchange: Exchange): string {
  const { messageId, customerThreadId, businessParticipationId, newBusinessId } = eventOf(exchange);
  return exchange.kind === "transfer"
    ? `transfer ${customerThreadId} ${newBusinessId} ${(exchange.message.request.value as Fields).timestamp} ${businessParticipationId}`
    : `message ${messageId}`;
}

export function isSameUrl(a: unknown, b: unknown): boolean {
  if (typeof a !== "string" || typeof b !== "string" || !URL.canParse(a) || !URL.canParse(b)) return false;
  return new URL(a).href === new URL(b).href;
}

/** When the event of a delivery happened, by the service's clock. */
export function shownAt(delivery: Exchange): number | undefined {
  const { messageTimestamp, timestamp } = { ...sentIn(delivery), ...eventOf(delivery) };
  const shown = Number(messageTimestamp ?? timestamp);
  if (!Number.isFinite(shown)) return undefined;
  return shown < SECONDS_BELOW ? shown * 1_000 : shown;
}

/** The call that caused each delivery of a message: same thread, same text, the oldest unused one. */
export function causesIn(trace: Trace): ReadonlyMap<Exchange, Exchange> {
  const waiting = new Map<string, Exchange[]>();
  for (const call of trace) {
    const key = keyOf(call);
    if (key !== undefined) getOrInsert(waiting, key, () => []).push(call);
  }
  const causes = new Map<Exchange, Exchange>();
  const byEvent = new Map<string, Exchange | undefined>();
  for (const delivery of trace) {
    if (delivery.kind === "call" || delivery.kind === "transfer") continue;
    const id = eventIdOf(delivery);
    if (!byEvent.has(id)) {
      const { fromCustomer, customerThreadId, invisible, messageBody } = eventOf(delivery);
      const [own, other] = [messageBody, null].map((text) =>
        waiting.get(messageKey(fromCustomer, customerThreadId, invisible, text)),
      );
      const queue = own?.[0] === undefined ? other : own;
      const isEarlier = queue?.[0] !== undefined && queue[0].at <= delivery.at + 50;
      byEvent.set(id, isEarlier ? queue?.shift() : undefined);
    }
    const cause = byEvent.get(id);
    if (cause !== undefined) causes.set(delivery, cause);
  }
  return causes;
}

/** A key shared by a call and the message that it causes; for a template, without the text. */
function keyOf(call: Exchange): string | undefined {
  const { text = null, contentSid, internal, message } = sentIn(call);
  if (call.kind !== "call" || !isAccepted(call)) return undefined;
  if (call.operation === "sendMessageToBusiness")
    return messageKey(true, shownIn(call).customerThreadId, false, message);
  if (call.operation !== "sendMessageToCustomerThread") return undefined;
  const isTemplate = typeof contentSid === "string";
  return messageKey(false, threadsIn(call)[0], internal === true, isTemplate ? null : text);
}

const messageKey = (fromCustomer: unknown, thread: unknown, invisible: unknown, text: unknown): string =>
  JSON.stringify([fromCustomer, textOf(thread), fromCustomer === true ? false : invisible, text]);
