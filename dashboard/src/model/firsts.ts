import { signal } from "@preact/signals";
import { isOutside } from "../../../src/client/log-entries.js";
import type { DeliveryRecord, RequestRecord } from "./types";

const isCall = ({ by }: RequestRecord): boolean => by === "client";
const isReply = (request: RequestRecord): boolean =>
  isCall(request) &&
  request.operation === "sendMessageToCustomerThread" &&
  request.status !== null &&
  request.status < 300;
const isDelivered = (delivery: DeliveryRecord): boolean =>
  delivery.status === "delivered" && isOutside(delivery);

/** Which first things of a system under test have worked, since the page was opened or the sandbox reset. */
export class Firsts {
  readonly call = signal(false);
  readonly delivery = signal(false);
  readonly reply = signal(false);

  /** Takes note of calls and deliveries. What has worked stays so when logs are cleared. */
  note(requests: readonly RequestRecord[], deliveries: readonly DeliveryRecord[]): void {
    if (!this.call.peek()) this.call.value = requests.some(isCall);
    if (!this.reply.peek()) this.reply.value = requests.some(isReply);
    if (!this.delivery.peek()) this.delivery.value = deliveries.some(isDelivered);
  }

  /** Whether nothing has called yet, and nothing outside was told of an event. */
  get none(): boolean {
    return !this.call.value && !this.delivery.value;
  }

  clear(): void {
    for (const first of [this.call, this.delivery, this.reply]) first.value = false;
  }
}
