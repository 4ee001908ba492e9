import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const NS_PER_S = 1e9;

/** By how much the event loop is late for due timers, which is how long others have to wait. */
export class LoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The percentiles since the last call. */
  take(): { readonly percentile: number; readonly seconds: number }[] {
    const lag = [50, 99, 100].map((percentile) => ({
      percentile,
      seconds: Math.max(0, this.#histogram.percentile(percentile) / NS_PER_S - RESOLUTION_MS / 1000),
    }));
    this.#histogram.reset();
    return lag;
  }

  close(): void {
    this.#histogram.disable();
  }
}
