/** Figures in the text form of Prometheus. */

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One number of a metric, and the labels that tell it from the others. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Follows the name: `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
}

/** A metric in Prometheus text. */
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

/** Metrics as one text. */
export const metricsPage = (metrics: readonly string[]): string => `${metrics.join("\n\n")}\n`;
