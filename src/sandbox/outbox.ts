import type { Delivery } from "./deliveries.js";
import type { PendingDelivery } from "./pending-delivery.js";

/** Where deliveries go to be sent. One for each run; the HTTP client behind it is shared. */
export interface Outbox {
  /** Takes a delivery that nobody has tried yet, or that waits for its retry. */
  accept(pending: PendingDelivery): void;
  /** Sends what fault rules hold back that are gone. */
  releaseHeld(): void;
  /** Sends a delivery that the fault `hold` holds back; false for any other. */
  release(delivery: Delivery): boolean;
  /** Whether nothing waits or is under way; retries that are not due do not count. */
  readonly idle: boolean;
  /** Resolves when `idle` has become true. */
  settled(): Promise<void>;
}
