/** Events, and the payloads of webhooks (specification: "Events"): integers where the tables say integer, strings where they say string. */
import { omitUndefined } from "../../kernel/objects.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { Customer, Message, Thread, Webhook } from "../world/records.js";
import type { World } from "../world/world.js";
import type { LegacyPayload, MessageEventPayload, TransferEventPayload } from "./event-payload-schemas.js";

/** A message was sent or received (specification: "Subscription keys"). */
export interface MessageEvent {
  readonly eventType: "message";
  /** When it happened, ms. */
  readonly at: number;
  readonly organizationId: string;
  readonly thread: Thread;
  readonly customer: Customer | undefined;
  readonly message: Message;
  /** Fields given by hand, which override those of the records. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A conversation was reassigned to another business. */
export interface TransferEvent {
  readonly eventType: "transfer";
  readonly at: number;
  readonly organizationId: string;
  readonly thread: Thread;
  readonly previousBusinessId: string;
  readonly newBusinessId: string;
  readonly newBusinessName: string;
  readonly employeeUserId: string;
  readonly participationId: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type DomainEvent = MessageEvent | TransferEvent;

/** The subscription that each event needs. */
export const SUBSCRIPTION_OF = { message: "messages", transfer: "transfers" } as const;

type Payload = Readonly<Record<string, unknown>>;

const PROSPECT = "prospect" as const;

/** The body for a webhook: the flat form for a legacy one, `eventType`, `timestamp` and `data` for all others. */
export function payloadOf(event: DomainEvent, behaviour: BehaviourValues, legacy: boolean): Payload {
  const time = (ms: number): number => (behaviour["timestamps.unit"] === "s" ? Math.floor(ms / 1000) : ms);
  if (legacy) return { ...legacyFields(event as MessageEvent, time, behaviour), ...event.data };
  const data = event.eventType === "message" ? messageFields(event, time, behaviour) : transferFields(event);
  return { eventType: event.eventType, timestamp: time(event.at), data: { ...data, ...event.data } };
}

/** Fields with an attachment's length, whose type `events.attachmentLength` decides. */
type WithLength<Fields> = Omit<Fields, "messageAttachmentContentLength"> & {
  readonly messageAttachmentContentLength: number | string | null;
};
type MessageFields = WithLength<MessageEventPayload["data"]>;

const messageFields = (
  { message, thread, organizationId, customer }: MessageEvent,
  time: (ms: number) => number,
  behaviour: BehaviourValues,
): MessageFields => ({
  fromCustomer: message.fromCustomer,
  invisible: message.invisible,
  customerThreadId: Number(thread.id),
  businessId: Number(thread.businessId),
  organizationId: Number(organizationId),
  customerId: thread.customerId,
  customerType: customer?.type ?? behaviour["customers.unknownType"],
  messageId: Number(message.id),
  messageBody: message.text,
  messageTimestamp: time(message.timestamp),
  ...attachmentFields(message, behaviour),
  channel: thread.channel,
});

const attachmentFields = ({ attachment }: MessageEvent["message"], behaviour: BehaviourValues) => ({
  messageAttachmentUUID: attachment?.uuid ?? null,
  messageAttachmentContentType: attachment?.contentType ?? null,
  messageAttachmentName: attachment?.name ?? null,
  messageAttachmentContentLength: lengthOf(attachment, behaviour),
});

function lengthOf(attachment: MessageEvent["message"]["attachment"], behaviour: BehaviourValues) {
  if (attachment === null) return null;
  const { contentLength } = attachment;
  return behaviour["events.attachmentLength"] === "string" ? String(contentLength) : contentLength;
}

const transferFields = (event: TransferEvent): TransferEventPayload["data"] => ({
  customerThreadId: event.thread.id,
  organizationId: Number(event.organizationId),
  previousBusinessId: Number(event.previousBusinessId),
  newBusinessId: Number(event.newBusinessId),
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

type LegacyFields = WithLength<Omit<LegacyPayload, "employeeUserId">> & {
  readonly employeeUserId?: number | null;
};

const legacyFields = (
  { message, thread }: MessageEvent,
  time: (ms: number) => number,
  behaviour: BehaviourValues,
): LegacyFields => ({
  customerId: thread.customerId,
  customerThreadId: Number(thread.id),
  messageTimestamp: time(message.timestamp),
  ...omitUndefined({ employeeUserId: senderOf(message, behaviour) }),
  messageId: Number(message.id),
  messageBody: message.text,
  businessId: Number(thread.businessId),
  ...attachmentFields(message, behaviour),
  fromCustomer: message.fromCustomer,
  messageExternalId: behaviour["legacy.messageExternalId"] === null ? null : message.id,
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
