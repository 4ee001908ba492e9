import type { Webhook } from "../world/records.js";

/** One try to reach a receiver. */
export interface Attempt {
  /** The world's time, ms. */
  readonly at: number;
  /** The receiver's HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** The receiver's answer, as text, cut to 4,096 characters. */
  readonly responseBody: string | null;
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "dropped" | "blocked";
export const DELIVERY_STATUSES = [
  "pending",
  "delivered",
  "failed",
  "dropped",
  "blocked",
] as const satisfies DeliveryStatus[];

/** An event on its way to one webhook, as `GET /__sim/deliveries` shows it. */
export interface Delivery {
  readonly id: string;
  /** The journal entry or control call that it comes from. */
  readonly causedBy: string | null;
  readonly webhookId: string;
  readonly hookId: string;
  readonly threadId: string;
  readonly url: string;
  readonly eventType: "message" | "transfer";
  readonly legacy: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** The headers that the attempts carry, beside those of the connection. */
  headers: Readonly<Record<string, string>>;
  /** The webhook's own headers that the attempts go without: HTTP lets no sender choose them, and sinks no `Host`. */
  omittedHeaders: readonly string[];
  status: DeliveryStatus;
  /** Why it is blocked or dropped, in words; null otherwise. */
  reason: string | null;
  attempts: readonly Attempt[];
  /** The world's time of the next attempt while one is waiting for a retry, ms. */
  nextAttemptAt: number | null;
}

/** What a delivery carries. */
export type DeliveryContent = Pick<Delivery, "threadId" | "eventType" | "legacy" | "body">;

/** What a delivery needs of its webhook. */
export interface DeliveryWebhook extends Pick<Webhook, "id" | "hookId" | "url" | "extraHeaders"> {
  /** How many calls of the simulator led to the event; left out: none. */
  readonly hops?: number;
  /** Asked for by hand: sent also where the webhook is disabled or gone. */
  readonly byHand?: boolean;
}

/** A delivery that nobody has tried yet. */
export const newDelivery = (
  id: string,
  causedBy: string | null,
  webhook: DeliveryWebhook,
  { threadId, eventType, legacy, body }: DeliveryContent,
): Delivery => ({
  id,
  causedBy,
  webhookId: webhook.id,
  hookId: webhook.hookId,
  threadId,
  url: webhook.url,
  eventType,
  legacy,
  body,
  headers: {},
  omittedHeaders: [],
  status: "pending",
  reason: null,
  attempts: [],
  nextAttemptAt: null,
});
