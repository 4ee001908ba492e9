import { signal } from "@preact/signals";
import type { ClockReading } from "./types";

/** The page's copy of the sandbox's clock. */
export class SandboxClock {
  readonly #reading = signal({ now: 0, frozen: true, readAt: 0 });

  /** The sandbox's time, ms: a running clock goes on between two readings. */
  now(): number {
    const { now, frozen, readAt } = this.#reading.value;
    return frozen ? now : now + (performance.now() - readAt);
  }

  get frozen(): boolean {
    return this.#reading.value.frozen;
  }

  set({ now, frozen }: ClockReading): void {
    this.#reading.value = { now, frozen, readAt: performance.now() };
  }
}
