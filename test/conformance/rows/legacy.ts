import type { Chapter } from "../row.js";

export const LEGACY = {
  "Events / Legacy delivery payload": {
    "legacyEvents.messages": [
      "Legacy webhooks, those set through the legacy endpoint, get message events only",
      "legacy delivery",
    ],
    "legacyEvents.flat": [
      "They get a flat object with the documented fields, and no more",
      "legacy delivery",
    ],
    "legacyData.customerId": ["customerId is a string", "legacy delivery"],
    "legacyData.customerThreadId": ["customerThreadId is an integer", "legacy delivery"],
    "legacyEvents.answer": [
      "customerThreadId is the identifier to use when sending a message to that thread",
      "sendMessageToCustomerThread",
      "ids.acceptNumbers",
    ],
    "legacyData.messageTimestamp": ["messageTimestamp is an integer", "legacy delivery"],
    "legacyData.employeeUserId": [
      "employeeUserId is an integer",
      "legacy delivery",
      "legacy.customerEmployeeUserId",
    ],
    "legacyEvents.sender": ["employeeUserId is the employee who sent the message", "legacy delivery"],
    "legacyData.messageId": ["messageId is an integer", "legacy delivery"],
    "legacyData.messageBody": ["messageBody is a string", "legacy delivery"],
    "legacyData.businessId": ["businessId is an integer", "legacy delivery"],
    "legacyEvents.attachments": [
      "messageAttachmentName, -ContentType, -UUID and -ContentLength are nullable",
      "legacy delivery",
    ],
    "legacyData.fromCustomer": ["fromCustomer is a boolean", "legacy delivery"],
    "legacyEvents.fromCustomer": [
      "fromCustomer is true when a customer wrote it, not an employee",
      "legacy delivery",
    ],
    "legacyEvents.externalId": ["messageExternalId is nullable", "legacy.messageExternalId"],
    "legacyData.invisible": ["invisible is a boolean", "legacy delivery"],
    "legacyEvents.invisible": [
      "invisible is true in the employee-only part of the thread",
      "legacy delivery",
    ],
    "legacyData.customerType": ["customerType is a string", "legacy delivery"],
    "legacyEvents.prospect": ["customerType is always prospect", "legacy delivery"],
    "legacyEvents.values": ["The fields hold what the message and its thread are", "legacy delivery"],
    "legacyEvents.employees": [
      "Conversations purely between employees are not forwarded: only customer threads have messages",
      "legacy delivery",
    ],
    "legacyEvents.once": ["The service attempts one POST for every message", "legacy delivery"],
  },
} as const satisfies Chapter;
