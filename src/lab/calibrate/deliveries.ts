/** What recorded deliveries contain. */
import { isObject } from "../../kernel/json.js";
import type { Exchange } from "./trace.js";

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
