/** The three payloads, field by field (specification: "Message event payload", "Transfer event payload", "Legacy delivery payload"). */
import { boolean, type Infer, integer, nullable, object, oneOf, string } from "../../kernel/schema.js";

const time = () => integer({ description: "unit: behaviour timestamps.unit" });

const attachment = {
  messageAttachmentUUID: nullable(string()),
  messageAttachmentContentType: nullable(string()),
  messageAttachmentName: nullable(string()),
  messageAttachmentContentLength: nullable(
    integer({ description: "a string if behaviour events.attachmentLength is string" }),
  ),
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
    customerType: oneOf(["prospect"]),
  },
  { title: "LegacyPayload" },
);

/** The payload of a message event. */
export type MessageEventPayload = Infer<typeof messageEventSchema>;
/** The payload of a transfer event. */
export type TransferEventPayload = Infer<typeof transferEventSchema>;
/** The payload for a webhook of the legacy endpoint. */
export type LegacyPayload = Infer<typeof legacyPayloadSchema>;
