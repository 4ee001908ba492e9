import type { Delivery, DeliveryWebhook } from "../sandbox/deliveries.js";
import type { FaultAction } from "../sandbox/faults.js";

/** A pending delivery, and how far it is. */
export class QueuedDelivery {
  /** How many attempts were made; more than one request, where a fault duplicates them, is one attempt. */
  attempts = 0;
  /** The webhook's own headers: fixed at the first attempt. */
  extraHeaders: DeliveryWebhook["extraHeaders"] | undefined;
  /** The fault of the next attempt, where it is already drawn because it holds the delivery back. */
  fault: FaultAction | undefined;
  #body: Buffer | undefined;

  constructor(
    readonly delivery: Delivery,
    /** The webhook as it stood when the event happened. */
    readonly webhook: DeliveryWebhook,
    /** Counts up in the order in which the outbox accepts deliveries. */
    readonly order: number,
  ) {}

  /** The payload as it is sent, the same bytes each time. */
  get body(): Buffer {
    this.#body ??= Buffer.from(JSON.stringify(this.delivery.body));
    return this.#body;
  }
}
