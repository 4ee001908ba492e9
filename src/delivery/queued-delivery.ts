import type { Delivery } from "../sandbox/deliveries.js";
import type { FaultAction } from "../sandbox/faults.js";
import type { Webhook } from "../world/records.js";
import type { Headers } from "./headers.js";

/** A delivery that the outbox has not done with, and how far it is. */
export class QueuedDelivery {
  /** How many attempts were made; more than one request, where a fault duplicates them, is one attempt. */
  attempts = 0;
  /** The headers without those of a signature: fixed at the first attempt. */
  headers: Headers | undefined;
  /** The fault of the next attempt where it is drawn already: the parcel was held back to be overtaken. */
  fault: FaultAction | undefined;
  /** The parcel that was held back for this one and goes after it. */
  overtaken: QueuedDelivery | undefined;
  #body: Buffer | undefined;

  constructor(
    readonly delivery: Delivery,
    /** The webhook as it stood when the event happened. */
    readonly webhook: Webhook,
    /** Its place in the order of all that the outbox has accepted. */
    readonly place: number,
  ) {}

  /** The payload as it is sent, the same bytes each time. */
  get body(): Buffer {
    this.#body ??= Buffer.from(JSON.stringify(this.delivery.body));
    return this.#body;
  }
}
