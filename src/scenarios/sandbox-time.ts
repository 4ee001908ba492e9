import type { Transport } from "../client/transport.js";
import type { ClockReading } from "../client/types.js";
import { monotonicNow } from "../kernel/realtime.js";

/** The sandbox's time, known without asking for it at each step. */
export class SandboxTime {
  readonly #transport: Transport;
  #reading: ClockReading = { now: 0, frozen: true };
  #readAt = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Asks the sandbox. */
  async read(): Promise<void> {
    this.set(await this.#transport.call("GET", "/clock"));
  }

  /** Takes what a clock route answered. */
  set(reading: ClockReading): void {
    this.#reading = reading;
    this.#readAt = monotonicNow();
  }

  /** ms since 1970. */
  now(): number {
    const { now, frozen } = this.#reading;
    return frozen ? now : Math.round(now + monotonicNow() - this.#readAt);
  }
}
