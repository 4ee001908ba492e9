import type { IntervalHistogram } from "node:perf_hooks";
import { monitorEventLoopDelay } from "node:perf_hooks";

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The suffix of the name: `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
}

export function metric(
  type: "counter" | "gauge" | "histogram",
  name: string,
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(({ labels, value, suffix = "" }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}

export const gauge = (name: string, help: string, value: number): string =>
  metric("gauge", name, help, [{ labels: {}, value }]);

export const counter = (name: string, help: string, value: number): string =>
  metric("counter", name, help, [{ labels: {}, value }]);

/** The percentiles of event loop lag, in seconds, as samples. Only a summary may have the label `quantile`. */
export const lagSamples = (lag: {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}): Sample[] => [
  { labels: { percentile: "50" }, value: lag.median },
  { labels: { percentile: "99" }, value: lag.p99 },
  { labels: { percentile: "100" }, value: lag.max },
];

export const metricsPage = (metrics: readonly string[]): string => `${metrics.join("\n\n")}\n`;

const RESOLUTION_MS = 10;
const NS_PER_S = 1e9;

/** By how much the event loop is late for due timers, which is how long others have to wait. */
export class LoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The quantiles since the last call, in seconds. */
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
