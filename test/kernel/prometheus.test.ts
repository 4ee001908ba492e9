/** Figures in the text form of Prometheus. */
import { expect, it } from "vitest";
import {
  counter,
  gauge,
  lagSamples,
  metric,
  metricsPage,
  PROMETHEUS_TYPE,
} from "../../src/kernel/prometheus.js";

it("says of a metric what it is, and each sample with its labels", () => {
  const text = metric("histogram", "calls", "Calls that ended.", [
    { labels: { route: 'a "b"\\\n', status: "200" }, value: 1.5 },
    { labels: { le: "+Inf" }, value: 2, suffix: "_bucket" },
    { labels: {}, value: 0, suffix: "_count" },
  ]);
  expect(text).toBe(
    [
      "# HELP calls Calls that ended.",
      "# TYPE calls histogram",
      'calls{route="a \\"b\\"\\\\\\n",status="200"} 1.5',
      'calls_bucket{le="+Inf"} 2',
      "calls_count 0",
    ].join("\n"),
  );
});

it("makes one page of metrics, in the type that names its version", () => {
  expect(metricsPage([gauge("open", "Open calls.", 3), counter("ended", "Ended calls.", 7)])).toBe(
    "# HELP open Open calls.\n# TYPE open gauge\nopen 3\n\n# HELP ended Ended calls.\n# TYPE ended counter\nended 7\n",
  );
  expect(PROMETHEUS_TYPE).toBe("text/plain; version=0.0.4; charset=utf-8");
});

it("tells lag by its quantiles", () => {
  expect(metric("gauge", "lag", "Lag.", lagSamples({ median: 0.001, p99: 0.02, max: 0.3 }))).toBe(
    [
      "# HELP lag Lag.",
      "# TYPE lag gauge",
      'lag{quantile="0.5"} 0.001',
      'lag{quantile="0.99"} 0.02',
      'lag{quantile="1"} 0.3',
    ].join("\n"),
  );
});
