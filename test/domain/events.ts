import type { MessageEvent, TransferEvent } from "../../src/service/domain/events.js";
import type { Message } from "../../src/service/world/records.js";
import { customer, message, NOW, thread } from "./records.js";

export const messageEvent = (
  fields: Partial<Message> = {},
  given: Partial<MessageEvent> = {},
): MessageEvent => ({
  eventType: "message",
  at: NOW,
  organizationId: "1",
  thread: thread({ id: "91" }),
  customer: customer({ id: "c1" }),
  message: message({ id: "501", ...fields }),
  ...given,
});

export const transferEvent = (given: Partial<TransferEvent> = {}): TransferEvent => ({
  eventType: "transfer",
  at: NOW,
  organizationId: "1",
  thread: thread({ id: "91", businessId: "12" }),
  previousBusinessId: "11",
  newBusinessId: "12",
  newBusinessName: "Lyon",
  employeeUserId: "52",
  participationId: 7,
  ...given,
});
