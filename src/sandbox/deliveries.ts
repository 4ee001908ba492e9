import type { InferReadonly } from "../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import type { Webhook } from "../world/records.js";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "dropped", "blocked"] as const;
/** How a delivery stands; `blocked`: the outbound guard held it back, `dropped`: nobody will send it. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const attemptSchema = object(
  {
    at: integer({ description: "the world's time, ms" }),
    status: nullable(integer()),
    durationMs: number(),
    error: nullable(string()),
    responseBody: nullable(string()),
    fault: optional(
      string({
        description: "the rule that fired on it and says what was sent in place of `body`",
        examples: ["f1"],
      }),
    ),
    copy: optional(
      literal(true, { description: "of a changed copy, which decides nothing about the delivery" }),
    ),
  },
  { title: "attempt" },
);
/** One try to reach a receiver. */
export type Attempt = InferReadonly<typeof attemptSchema>;

export const DELIVERY_FIELDS = {
  id: string({ examples: ["d1"] }),
  causedBy: nullable(string({ description: "the journal entry (r…) or control call (c…) it comes from" })),
  webhookId: string(),
  hookId: string(),
  threadId: string(),
  url: string(),
  eventType: oneOf(["message", "transfer"]),
  legacy: boolean(),
  body: record(unknown(), { description: "the payload" }),
  headers: record(string()),
  omittedHeaders: array(string(), {
    description:
      "extraHeaders that the attempts go without: those that HTTP lets no sender choose, and Host to the simulator's own sinks",
  }),
  secretHeaders: optional(
    array(string(), { description: "in lower case: extraHeaders, whose values are masked" }),
  ),
  status: oneOf(DELIVERY_STATUSES),
  reason: nullable(string({ description: "why it is blocked, dropped, or held back by a fault" })),
  attempts: array(attemptSchema),
  nextAttemptAt: nullable(integer({ description: "the world's time of the next attempt, ms" })),
};
export const deliverySchema = object(DELIVERY_FIELDS, { title: "delivery" });
type DeliveryFields = InferReadonly<typeof deliverySchema>;

/** What the attempts change. */
type Progress = "url" | "headers" | "omittedHeaders" | "status" | "reason" | "attempts" | "nextAttemptAt";

/** An event on its way to one webhook, as `GET /__sim/deliveries` shows it. */
export type Delivery = Omit<DeliveryFields, Progress | "secretHeaders"> & {
  -readonly [Field in Progress]: DeliveryFields[Field];
} & { secretHeaders?: readonly string[] };

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
