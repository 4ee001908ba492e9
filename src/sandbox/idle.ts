import { contain } from "../kernel/contain.js";
import { nextTurn } from "../kernel/realtime.js";
import { Wait } from "./wait.js";
import type { WaitedOn, WaitedRun } from "./waited.js";

/** The waits for idleness of one sandbox: one watch for all of them. */
export class IdleWatch {
  readonly #sandbox: WaitedOn;
  readonly #waits = new Set<Wait<never>>();
  #watching = false;

  constructor(sandbox: WaitedOn) {
    this.#sandbox = sandbox;
  }

  waits(): Iterable<Wait<never>> {
    return this.#waits;
  }

  add(timeoutMs: number, onEnd: () => void): Wait<never> {
    const ended = () => {
      this.#waits.delete(wait);
      onEnd();
    };
    const wait = new Wait<never>(Number.POSITIVE_INFINITY, timeoutMs, { ended });
    this.#waits.add(wait);
    if (!this.#watching) contain(this.#sandbox.report, () => this.#watch());
    return wait;
  }

  /** A run that is closed has nothing on its way: the watch goes on with the next one. */
  async #watch(): Promise<void> {
    this.#watching = true;
    try {
      while (this.#waits.size > 0) {
        const { run } = this.#sandbox;
        await run.calls.settled();
        await run.outbox.settled();
        if (await this.#standsStill(run)) for (const wait of this.#waits) wait.end("met");
      }
    } finally {
      this.#watching = false;
    }
  }

  /** A receiver may have made a call whose bytes are here and not read yet: idle means that two turns bring nothing. */
  async #standsStill(run: WaitedRun): Promise<boolean> {
    const { logs, calls: inFlight, outbox } = run;
    const { journal, deliveries } = logs;
    const requestsBefore = journal.mark;
    const deliveriesBefore = deliveries.mark;
    await nextTurn();
    await nextTurn();
    return (
      run === this.#sandbox.run &&
      inFlight.idle &&
      outbox.idle &&
      journal.mark === requestsBefore &&
      deliveries.mark === deliveriesBefore
    );
  }
}
