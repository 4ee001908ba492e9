import { isOutside, refusalOf } from "../../../src/client/log-entries.js";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { isKeyOf } from "../../../src/kernel/objects.js";
import { shortMs } from "../lib/format";
import type { DeliveryRecord, OperationName, RequestRecord } from "./types";

export { refusalOf };

/** Who gets a delivery: a program has a webhook, a sink is the built-in receiver. */
export const receiverName = (delivery: Pick<DeliveryRecord, "url">): string =>
  isOutside(delivery) ? "webhook" : "built-in receiver";

/** The address of a receiver as the page shows it: without secrets, and a sink by what it is. */
export const addressText = (webhook: Pick<DeliveryRecord, "url">): string =>
  isOutside(webhook) ? maskedAddress(webhook.url) : `${receiverName(webhook)} (${webhook.url})`;

/** The operations of the simulated API in words. A type checks that none is missing. */
const NAMES = {
  getCustomerProfile: "Customer profile",
  updateCustomerProfile: "Update profile",
  deleteUserByEmail: "Delete user",
  sendMessageToCustomerThread: "Send message",
  sendMessageToBusiness: "Start conversation",
  getCustomerThreadDetails: "Thread details",
  getWhatsappTemplates: "Templates",
  updateThreadStatus: "Update status",
  createWebhook: "Create webhook",
  listWebhooks: "List webhooks",
  getWebhook: "Get webhook",
  updateWebhook: "Update webhook",
  deleteWebhook: "Delete webhook",
  updateHookUrl: "Update webhook URL",
  graphql: "GraphQL",
} satisfies Record<OperationName, string>;

export const OPERATIONS = Object.keys(NAMES);

/** An operation in words: `Send message`. */
export const operationName = (id: string): string => (isKeyOf(NAMES, id) ? NAMES[id] : id);

/** How something ended: decides its colour and icon. */
export type Tone = "good" | "bad" | "held" | "waiting" | "quiet" | "warn";

export interface Outcome {
  readonly tone: Tone;
  /** `200 in 18 ms`, `blocked`, `failed: connection refused` */
  readonly description: string;
}

/** Whether a fault holds a delivery back. */
const isHeldBack = ({ status, reason }: DeliveryRecord): boolean => status === "pending" && reason !== null;

export function deliveryOutcome(delivery: DeliveryRecord): Outcome {
  const { status, attempts, reason } = delivery;
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ""
      : last.status === null
        ? (last.error ?? "no response")
        : `${last.status} in ${shortMs(last.durationMs)}`;
  if (status === "delivered") return { tone: "good", description: answer || "delivered" };
  if (status === "failed")
    return { tone: "bad", description: last?.status === null ? `failed: ${answer}` : answer || "failed" };
  if (status === "blocked") return { tone: "held", description: "blocked" };
  if (status === "dropped")
    return { tone: "quiet", description: `dropped${reason === null ? "" : `: ${reason}`}` };
  if (isHeldBack(delivery)) return { tone: "held", description: reason ?? "" };
  return { tone: "waiting", description: last === undefined ? "in progress" : `${answer}, will be retried` };
}

/** The contract warnings of a call, by their codes: `number-id, unknown-field`. */
export const warningNames = ({ warnings }: RequestRecord): string =>
  [...new Set(warnings.map(({ code }) => code))].join(", ");

export function requestOutcome({ status, durationMs, warnings }: RequestRecord): Outcome {
  if (durationMs === null) return { tone: "waiting", description: "no response yet" };
  if (status === null)
    return { tone: "bad", description: `closed without an answer after ${shortMs(durationMs)}` };
  const description = `${status} in ${shortMs(durationMs)}`;
  if (status >= 400) return { tone: "bad", description };
  return { tone: warnings.length > 0 ? "warn" : "good", description };
}
