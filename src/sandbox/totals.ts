import type { Delivery, DeliveryStatus } from "./deliveries.js";
import type { JournalEntry } from "./journal.js";

/** A number of calls with the operation that they asked for and the hundreds of their status. */
interface CallTotal {
  readonly operation: string | null;
  /** 2 for 2xx; 0 where there was no answer. */
  readonly statusClass: number;
  readonly calls: number;
}

/** How much went through one simulator since its start, over all sandboxes and resets. */
export class Totals {
  readonly #calls = new Map<string | null, number[]>();
  readonly #deliveries = new Map<DeliveryStatus, number>();
  /** What went wrong inside the simulator, and was contained. */
  failures = 0;
  /** Deliveries that have not come to their end. */
  pending = 0;

  /** Counts a call that is over. */
  countCall({ operation, status }: JournalEntry): void {
    let classes = this.#calls.get(operation);
    if (classes === undefined) {
      classes = [0, 0, 0, 0, 0, 0];
      this.#calls.set(operation, classes);
    }
    const statusClass = status === null ? 0 : Math.floor(status / 100);
    classes[statusClass] = (classes[statusClass] ?? 0) + 1;
  }

  /** Counts a delivery that has come to its end. */
  countDelivery({ status }: Delivery): void {
    this.#deliveries.set(status, (this.#deliveries.get(status) ?? 0) + 1);
  }

  calls(): CallTotal[] {
    return [...this.#calls].flatMap(([operation, classes]) =>
      classes.flatMap((calls, statusClass) => (calls === 0 ? [] : [{ operation, statusClass, calls }])),
    );
  }

  deliveries(status: DeliveryStatus): number {
    return this.#deliveries.get(status) ?? 0;
  }
}
