/** Events, and the payloads of webhooks (specification: "Events"): integers where the tables say integer, strings where they say string. */

import { omitUndefined } from "../../kernel/objects.js";
import { boolean, type Infer, integer, nullable, object, oneOf, string } from "../../kernel/schema.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { Customer, Message, Thread, Webhook } from "../world/records.js";
import type { World } from "../world/world.js";

// The three payloads, field by field (specification: "Message event payload", "Transfer event payload", "Legacy delivery payload").

/** The type of a new customer, of one without a type, and of every customer in a legacy payload. */
export const PROSPECT = "prospect";

const time = () => integer({ description: "unit: behaviour timestamps.unit" });

const attachment = {
  messageAttachmentUUID: nullable(string()),
  messageAttachmentContentType: nullable(string()),
  messageAttachmentName: nullable(string()),
  messageAttachmentContentLength: nullable(integer()),
};

export const messageEventSchema = object(
  {
    eventType: oneOf(["message"]),
    timestamp: time(),
    data: object({
      fromCustomer: boolean({ description: "true if written by a customer" }),
      invisible: boolean({ description: "true if posted in the employee-only part" }),
      customerThreadId: integer(),
      businessId: integer(),
      organizationId: integer(),
      customerId: string(),
      customerType: string(),
      messageId: integer(),
      messageBody: string(),
      messageTimestamp: time(),
      ...attachment,
      channel: string(),
    }),
  },
  { title: "MessageEvent" },
);

export const transferEventSchema = object(
  {
    eventType: oneOf(["transfer"]),
    timestamp: time(),
    data: object({
      customerThreadId: string(),
      organizationId: integer(),
      previousBusinessId: integer(),
      newBusinessId: integer(),
      newBusinessName: string(),
      employeeUserId: integer(),
      businessParticipationId: integer(),
      customerChannel: string(),
    }),
  },
  { title: "TransferEvent" },
);

export const legacyPayloadSchema = object(
  {
    customerId: string(),
    customerThreadId: integer({ description: "the identifier to use when sending a message to that thread" }),
    messageTimestamp: time(),
    employeeUserId: integer({
      description:
        "the employee who sent the message; for a customer's message 0, null or omitted (behaviour legacy.customerEmployeeUserId)",
    }),
    messageId: integer(),
    messageBody: string(),
    businessId: integer(),
    ...attachment,
    fromCustomer: boolean({ description: "true when written by a customer, not an employee" }),
    messageExternalId: nullable(string()),
    invisible: boolean({ description: "true when sent in the employee-only part of the thread" }),
    customerType: oneOf([PROSPECT]),
  },
  { title: "LegacyPayload" },
);

/** The payload of a message event. */
export type MessageEventPayload = Infer<typeof messageEventSchema>;
/** The payload of a transfer event. */
export type TransferEventPayload = Infer<typeof transferEventSchema>;
/** The payload for a webhook of the legacy endpoint. */
export type LegacyPayload = Infer<typeof legacyPayloadSchema>;

interface ThreadEvent {
  /** When it happened, ms. */
  readonly at: number;
  readonly organizationId: string;
  /** As the event leaves it. */
  readonly thread: Thread;
  /** Fields given by hand, which override those of the records. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A message was sent or received (specification: "Subscription keys"). */
interface MessageEvent extends ThreadEvent {
  readonly eventType: "message";
  readonly customer: Customer | undefined;
  readonly message: Message;
}

/** A conversation was reassigned to another business. */
interface TransferEvent extends ThreadEvent {
  readonly eventType: "transfer";
  readonly previousBusinessId: string;
  readonly newBusinessName: string;
  readonly employeeUserId: string;
  readonly participationId: number;
}

export type DomainEvent = MessageEvent | TransferEvent;

/** The subscription that each event needs. */
export const SUBSCRIPTION_OF = { message: "messages", transfer: "transfers" } as const;

type Payload = Readonly<Record<string, unknown>>;

/** The body for a webhook: the flat form for a legacy one, `eventType`, `timestamp` and `data` for all others. */
export function payloadOf(event: DomainEvent, behaviour: BehaviourValues, legacy: boolean): Payload {
  const time = (ms: number): number => (behaviour["timestamps.unit"] === "s" ? Math.floor(ms / 1000) : ms);
  if (legacy) return { ...legacyFields(event as MessageEvent, time, behaviour), ...event.data };
  const data = event.eventType === "message" ? messageFields(event, time) : transferFields(event);
  return { eventType: event.eventType, timestamp: time(event.at), data: { ...data, ...event.data } };
}

const messageFields = (
  { message, thread, organizationId, customer }: MessageEvent,
  time: (ms: number) => number,
) => ({
  fromCustomer: message.fromCustomer,
  invisible: message.invisible,
  customerThreadId: Number(thread.id),
  businessId: Number(thread.businessId),
  organizationId: Number(organizationId),
  customerId: thread.customerId,
  customerType: customer?.type ?? PROSPECT,
  messageId: Number(message.id),
  messageBody: message.text,
  messageTimestamp: time(message.timestamp),
  ...attachmentFields(message),
  channel: thread.channel,
});

const attachmentFields = ({ attachment }: MessageEvent["message"]) => ({
  messageAttachmentUUID: attachment?.uuid ?? null,
  messageAttachmentContentType: attachment?.contentType ?? null,
  messageAttachmentName: attachment?.name ?? null,
  messageAttachmentContentLength: attachment?.contentLength ?? null,
});

const transferFields = (event: TransferEvent) => ({
  customerThreadId: event.thread.id,
  organizationId: Number(event.organizationId),
  previousBusinessId: Number(event.previousBusinessId),
  newBusinessId: Number(event.thread.businessId),
  newBusinessName: event.newBusinessName,
  employeeUserId: Number(event.employeeUserId),
  businessParticipationId: event.participationId,
  customerChannel: event.thread.channel,
});

/** The employee who sent a message; for a customer's message, what `legacy.customerEmployeeUserId` says; undefined omits the field. */
function senderOf({ employeeUserId }: MessageEvent["message"], behaviour: BehaviourValues) {
  if (employeeUserId !== null) return Number(employeeUserId);
  const { "legacy.customerEmployeeUserId": nobody } = behaviour;
  return nobody === "omit" ? undefined : nobody;
}

const legacyFields = (
  { message, thread }: MessageEvent,
  time: (ms: number) => number,
  behaviour: BehaviourValues,
) => ({
  customerId: thread.customerId,
  customerThreadId: Number(thread.id),
  messageTimestamp: time(message.timestamp),
  ...omitUndefined({ employeeUserId: senderOf(message, behaviour) }),
  messageId: Number(message.id),
  messageBody: message.text,
  businessId: Number(thread.businessId),
  ...attachmentFields(message),
  fromCustomer: message.fromCustomer,
  messageExternalId: null,
  invisible: message.invisible,
  customerType: PROSPECT,
});

/**
 * The webhooks that receive an event, each with its payload. Legacy webhooks only receive messages, in their own form
 * (specification: "Events"). `legacy` limits an event triggered by hand to legacy webhooks or to all others.
 */
export function notificationsOf(
  world: World,
  event: DomainEvent,
  behaviour: BehaviourValues,
  legacy?: boolean,
): { readonly webhook: Webhook; readonly body: Payload }[] {
  const hidden =
    event.eventType === "message" &&
    event.message.invisible &&
    behaviour["events.internalMessages"] === "omit";
  if (hidden) return [];
  const notifications: { webhook: Webhook; body: Payload }[] = [];
  // Thousands of webhooks may receive the same payload.
  const payloads = new Map<boolean, Payload>();
  for (const webhook of world.find("webhooksByOrganization", event.organizationId)) {
    if (!webhook.enabled || !webhook.subscribedEvents.includes(SUBSCRIPTION_OF[event.eventType])) continue;
    if (webhook.legacy && event.eventType !== "message") continue;
    if (legacy !== undefined && webhook.legacy !== legacy) continue;
    const body = payloads.get(webhook.legacy) ?? payloadOf(event, behaviour, webhook.legacy);
    payloads.set(webhook.legacy, body);
    notifications.push({ webhook, body });
  }
  return notifications;
}
