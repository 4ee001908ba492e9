/** Figures in the text form of Prometheus. */
import { expect, it } from "vitest";
import { metric } from "../../src/kernel/metrics.js";

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
