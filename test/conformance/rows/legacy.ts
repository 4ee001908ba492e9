import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const LEGACY = {
  "Events / Legacy delivery payload": about("legacy delivery", {
    "legacyEvents.messages":
      "Legacy webhooks, those set through the legacy endpoint, get message events only",
    "legacyEvents.flat": "They get a flat object with the documented fields, and no more",
    "legacyData.customerId": "customerId is a string",
    "legacyData.customerThreadId": "customerThreadId is an integer",
    "legacyEvents.answer": [
      "customerThreadId is the identifier to use when sending a message to that thread",
      "sendMessageToCustomerThread",
      "ids.acceptNumbers",
    ],
    "legacyData.messageTimestamp": "messageTimestamp is an integer",
    "legacyData.employeeUserId": [
      "employeeUserId is an integer",
      "legacy delivery",
      "legacy.customerEmployeeUserId",
    ],
    "legacyEvents.sender": "employeeUserId is the employee who sent the message",
    "legacyData.messageId": "messageId is an integer",
    "legacyData.messageBody": "messageBody is a string",
    "legacyData.businessId": "businessId is an integer",
    "legacyEvents.attachments": "messageAttachmentName, -ContentType, -UUID and -ContentLength are nullable",
    "legacyData.fromCustomer": "fromCustomer is a boolean",
    "legacyEvents.fromCustomer": "fromCustomer is true when a customer wrote it, not an employee",
    "legacyEvents.externalId": ["messageExternalId is nullable", "legacy.messageExternalId"],
    "legacyData.invisible": "invisible is a boolean",
    "legacyEvents.invisible": "invisible is true in the employee-only part of the thread",
    "legacyData.customerType": "customerType is a string",
    "legacyEvents.prospect": "customerType is always prospect",
    "legacyEvents.values": "The fields hold what the message and its thread are",
    "legacyEvents.employees":
      "Conversations purely between employees are not forwarded: only customer threads have messages",
    "legacyEvents.once": "The service attempts one POST for every message",
  }),
} as const satisfies Chapter;
