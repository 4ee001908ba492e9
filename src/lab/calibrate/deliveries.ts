/** What recorded deliveries contain. */
import { getOrInsert, isObject } from "../../kernel/objects.js";
import type { Exchange, Trace } from "./trace.js";
import { isAccepted, sentIn, shownIn, textOf, threadsIn } from "./trace.js";

/** Times below are in seconds. */
export const SECONDS_BELOW = 100_000_000_000;

type Fields = Readonly<Record<string, unknown>>;

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
