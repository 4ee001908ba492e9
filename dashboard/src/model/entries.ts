/** What entries of the logs refer to: threads, messages and times. */
import { messageOfDelivery } from "../../../src/client/log-entries.js";
import { threadOfRequest } from "../../../src/kernel/replies.js";
import type { DeliveryRecord } from "./types";

export { messageOfDelivery, threadOfRequest };

/** Times of payloads below are seconds: as milliseconds they would lie before March 1973. */
const MIN_MILLISECONDS = 100_000_000_000;

/** When a delivery's event happened, ms of the sandbox's time. */
export function eventTime({ legacy, body }: DeliveryRecord): number {
  const time = legacy ? body.messageTimestamp : body.timestamp;
  return time < MIN_MILLISECONDS ? time * 1_000 : time;
}

/** When a delivery was first attempted; before that, when its event happened. */
export const deliveryTime = (delivery: DeliveryRecord): number =>
  delivery.attempts[0]?.at ?? eventTime(delivery);
