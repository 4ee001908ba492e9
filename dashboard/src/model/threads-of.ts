import type { Delivery, RequestRecord } from "./types";

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const idOf = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;

/** The thread that a call names, or that it has made. */
export const threadOfRequest = ({ body, query, response }: RequestRecord): string | null =>
  idOf(field(body, "customerThreadId") ?? query.customerThreadId ?? field(response, "customerThreadId"));

/** The message that a delivery tells of; null for a transfer. */
export function messageOfDelivery({ eventType, legacy, body }: Delivery): string | null {
  if (eventType !== "message") return null;
  return idOf(legacy ? body.messageId : field(body.data, "messageId"));
}

/** When a delivery's event happened, ms; payloads may carry seconds. */
export function eventTimeOf({ body, attempts }: Delivery): number | null {
  const stamp = body.timestamp ?? body.messageTimestamp;
  if (typeof stamp !== "number") return attempts[0]?.at ?? null;
  return stamp < 100_000_000_000 ? stamp * 1_000 : stamp;
}

export const textOfBody = (body: unknown, name: string): string | null => {
  const value = field(body, name);
  return typeof value === "string" ? value : null;
};
