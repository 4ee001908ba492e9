import { given } from "../kernel/given.js";
import type { Delivery, DeliveryWebhook } from "./deliveries.js";
import type { FaultAction } from "./faults.js";

/** A pending delivery as another process would take it over. */
export interface KeptDelivery {
  readonly delivery: Delivery;
  readonly webhook: DeliveryWebhook;
  readonly attempts: number;
  readonly extraHeaders?: DeliveryWebhook["extraHeaders"];
  readonly fault?: FaultAction;
}

/** A pending delivery, and how far it is. */
export class PendingDelivery {
  /** How many attempts were made; more than one request, where a fault duplicates them, is one attempt. */
  attempts = 0;
  /** The webhook's own headers: fixed at the first attempt. */
  extraHeaders: DeliveryWebhook["extraHeaders"] | undefined;
  /** The fault of the next attempt, where it is already drawn because it holds the delivery back. */
  fault: FaultAction | undefined;
  /** Counts up in the order in which the outbox accepts deliveries. */
  order = 0;
  #body: Buffer | undefined;

  constructor(
    readonly delivery: Delivery,
    /** The webhook as it stood when the event happened. */
    readonly webhook: DeliveryWebhook,
  ) {}

  /** The delivery as it was kept. */
  static from({ delivery, webhook, attempts, extraHeaders, fault }: KeptDelivery): PendingDelivery {
    return Object.assign(new PendingDelivery(delivery, webhook), { attempts, extraHeaders, fault });
  }

  /** The payload as it is sent, the same bytes each time. */
  get body(): Buffer {
    this.#body ??= Buffer.from(JSON.stringify(this.delivery.body));
    return this.#body;
  }

  toJSON(): KeptDelivery {
    const { delivery, webhook, attempts, extraHeaders, fault } = this;
    return { delivery, webhook, attempts, ...given({ extraHeaders, fault }) };
  }
}
