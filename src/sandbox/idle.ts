import { nextTurn } from "../kernel/realtime.js";
import { Wait } from "./wait.js";
import type { WaitedOn } from "./waiting.js";

/** The waits for idleness of one sandbox: one watch for all of them. */
export class IdleWatch {
  readonly #sandbox: WaitedOn;
  readonly #waits = new Set<Wait<never>>();
  /** Changes when the sandbox begins anew: what an earlier watch was held up by is of no interest then. */
  #epoch = 0;
  #watching = false;

  constructor(sandbox: WaitedOn) {
    this.#sandbox = sandbox;
  }

  waits(): Iterable<Wait<never>> {
    return this.#waits;
  }

  add(timeoutMs: number, left: () => void): Wait<never> {
    const wait = new Wait<never>(Number.POSITIVE_INFINITY, timeoutMs, () => {
      this.#waits.delete(wait);
      left();
    });
    this.#waits.add(wait);
    if (!this.#watching) void this.#watch();
    return wait;
  }

  restart(): void {
    this.#epoch += 1;
    this.#watching = false;
    if (this.#waits.size > 0) void this.#watch();
  }

  async #watch(): Promise<void> {
    this.#watching = true;
    const epoch = this.#epoch;
    while (this.#waits.size > 0) {
      await this.#sandbox.calls.settled();
      if (epoch !== this.#epoch) return;
      await this.#sandbox.outbox.settled();
      if (epoch !== this.#epoch) return;
      const still = await this.#standsStill();
      if (epoch !== this.#epoch) return;
      if (still) for (const wait of this.#waits) wait.end("met");
    }
    this.#watching = false;
  }

  /** A receiver may have made a call whose bytes are here and not read yet: idle means that two turns bring nothing. */
  async #standsStill(): Promise<boolean> {
    const { journal, deliveries } = this.#sandbox;
    const calls = journal.mark;
    const events = deliveries.mark;
    await nextTurn();
    await nextTurn();
    const { calls: flight, outbox } = this.#sandbox;
    return flight.idle && outbox.idle && journal.mark === calls && deliveries.mark === events;
  }
}
