import type { IntervalHistogram } from "node:perf_hooks";
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const NS_PER_S = 1e9;

/** How late the event loop comes to what is due: how long others have to wait. */
export class LoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The quantiles since the last time that somebody asked, in seconds. */
  take(): { readonly median: number; readonly p99: number; readonly max: number } {
    const histogram = this.#histogram;
    const seconds = (ns: number) => Math.max(0, ns / NS_PER_S - RESOLUTION_MS / 1000);
    const lag = {
      median: seconds(histogram.percentile(50)),
      p99: seconds(histogram.percentile(99)),
      max: seconds(histogram.max),
    };
    histogram.reset();
    return lag;
  }

  close(): void {
    this.#histogram.disable();
  }
}
