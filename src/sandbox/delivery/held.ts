import type { PendingDelivery } from "../deliveries.js";
import type { FaultAction } from "../faults.js";

/** The deliveries of one webhook that the fault `hold` holds back, in the order in which they came. */
export class HeldDeliveries {
  #held: PendingDelivery[] = [];
  readonly #onChange: (pending: PendingDelivery) => void;

  /** `onChange` is told of each that is held back or let go. */
  constructor(onChange: (pending: PendingDelivery) => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Holds a delivery back, with the fault that does. */
  hold(pending: PendingDelivery, fault: FaultAction): void {
    pending.fault = fault;
    pending.delivery.reason = `held back by fault ${fault.rule}`;
    this.#held.push(pending);
    this.#onChange(pending);
  }

  /** Lets those go that `fits` says, and gives them back. */
  release(fits: (pending: PendingDelivery) => boolean): PendingDelivery[] {
    const released = this.#held.filter(fits);
    if (released.length === 0) return released;
    this.#held = this.#held.filter((one) => !released.includes(one));
    for (const pending of released) {
      pending.delivery.reason = null;
      this.#onChange(pending);
    }
    return released;
  }
}
