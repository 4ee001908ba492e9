import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import { monotonicNow } from "../kernel/realtime.js";

/** The sandbox's time, known without asking for it at each step. */
export class WorldTime {
  readonly #wire: Transport;
  #reading: ClockReading = { now: 0, frozen: true };
  #readAt = 0;

  constructor(wire: Transport) {
    this.#wire = wire;
  }

  /** Asks the sandbox. */
  async read(): Promise<void> {
    this.set(await this.#wire.call("GET", "/clock"));
  }

  /** Takes what a clock route answered. */
  set(reading: unknown): void {
    this.#reading = reading as ClockReading;
    this.#readAt = monotonicNow();
  }

  /** ms since 1970. */
  now(): number {
    const { now, frozen } = this.#reading;
    return frozen ? now : Math.round(now + monotonicNow() - this.#readAt);
  }
}
