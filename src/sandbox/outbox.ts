import type { Delivery, DeliveryWebhook } from "./deliveries.js";

/** Where deliveries go to be sent. One for each run; the HTTP client behind it is shared. */
export interface Outbox {
  accept(delivery: Delivery, webhook: DeliveryWebhook): void;
  /** Whether nothing waits or is under way; retries that are not due do not count. */
  readonly idle: boolean;
  /** Resolves when `idle` has become true. */
  settled(): Promise<void>;
}
