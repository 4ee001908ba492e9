/** The input of a calibration: exchanges from recorded files or from probes. */

import { isObject } from "../../kernel/json.js";
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
