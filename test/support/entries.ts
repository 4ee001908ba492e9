/** Entries of the logs, as the control API shows them. */
import type { DeliveryRecord, RequestRecord } from "../../src/client/types.js";

/** All happens at this instant if not said otherwise, as on a frozen clock. */
export const NOW = 1_767_258_000_000;
export const THREAD = "9001";

const SEND = { method: "POST", path: "/api/send-message-to-customer-thread", query: {} } as const;
const ANSWERED = { status: 200, response: {}, durationMs: 3, warnings: [], token: "acme-token" };
export const request = (id: string, rest: Partial<RequestRecord> = {}): RequestRecord => {
  const call = { body: { customerThreadId: THREAD }, operation: "sendMessageToCustomerThread", headers: {} };
  return { id, at: NOW, by: "client", ...SEND, ...call, ...ANSWERED, ...rest };
};

const READ = { method: "GET", path: "/api/get-customer-thread-details", body: null } as const;
export const poll = (id: string, rest: Partial<RequestRecord> = {}): RequestRecord =>
  request(id, { ...READ, query: { customerThreadId: THREAD }, ...rest });

export const attempt = (status: number | null) => {
  const error = status === null ? "connection refused" : null;
  return { at: NOW, status, durationMs: 18, error, responseBody: null };
};

const HOOK = { webhookId: "1", hookId: "crm", threadId: THREAD, url: "http://127.0.0.1:3000/hook" };
const SENT = {
  headers: {},
  status: "delivered",
  reason: null,
  nextAttemptAt: null,
} as const;
export const delivery = (
  id: string,
  causedBy: string | null,
  messageId: string,
  rest: Partial<Omit<DeliveryRecord, "body" | "legacy" | "eventType">> = {},
): DeliveryRecord => {
  // What else a payload holds is of no account here.
  const body = {
    eventType: "message",
    timestamp: NOW,
    data: { messageId: Number(messageId), fromCustomer: true },
  } as never;
  const event = { id, causedBy, eventType: "message", legacy: false, body } as const;
  return { ...HOOK, ...SENT, ...event, attempts: [attempt(200)], ...rest };
};
