import { expect, it } from "vitest";
import type { LoadReport, Point } from "../../src/lab/load/report.js";
import { htmlLoad } from "../../src/lab/load/reporters.js";
import { open } from "../dashboard/browser.js";
import { serverOf } from "../support/server.js";

const point = (s: number): Point => ({
  ...{ s, length: 1, customers: 2, messages: 10, replies: 9, failures: 1 },
  ...{ p50: 20, p99: s === 2 ? null : 40, simulatorLag: 1, generatorLag: 2 },
});
const idle = { p50: 0, p99: 1, max: 2 };
const message = "should be <i>1</i>";
const REPORT: LoadReport = {
  ...{ ok: false, model: "closed", customers: 2, forMs: 3_000, rampMs: 0, durationMs: 3_000 },
  expectations: [{ expectation: "p99<2s", ok: false, seen: "3 s" }],
  ...{ startedAt: "2026-01-01T00:00:00.000Z", endedEarly: false },
  scenarios: [{ name: "</script><b>bold</b>" }],
  conversations: { started: 9, done: 7, failed: 1, unfinished: 1, turnedAway: 0, peak: 2 },
  ...{ messages: 30, messagesPerSecond: 10, replies: 27, timeouts: 0, wrong: 1, unasked: 0 },
  latency: {
    ...{ count: 27, mean: 21, p50: 20, p90: 30, p99: 40, max: 41 },
    curve: [
      { percentile: 50, ms: 20 },
      { percentile: 99, ms: 40 },
      { percentile: 100, ms: 41 },
    ],
  },
  sending: { p50: 1, p99: 2, max: 3 },
  failures: [{ kind: "wrong", step: "reply", place: "s.yaml:3:5  steps[1]", count: 1, message }],
  calls: { "sendMessageToCustomerThread 2xx": 27 },
  deliveries: { delivered: 57 },
  pendingPeak: 1,
  lag: { simulator: idle, generator: idle, sameProcess: true },
  notes: ["The latencies are <b>own</b>."],
  timeline: [point(1), point(2), point(3)],
};

it("shows figures and plots in one page that loads nothing", async () => {
  const url = await serverOf((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(htmlLoad(REPORT));
  });
  const page = await open({ url });
  expect(await page.title()).toBe("load: </script><b>bold</b>");
  expect(await page.locator("canvas").count()).toBe(6);
  expect(await page.locator(".u-title").allTextContents()).toEqual([
    "Throughput",
    "Reply latency",
    "Failed conversations",
    "Customers",
    "Event loop lag, 99th percentile",
    "Latency by percentile",
  ]);
  const text = await page.locator("body").innerText();
  for (const part of ["p50 20 ms", "✗ p99<2s (3 s)", message, "The latencies are <b>own</b>."])
    expect(text).toContain(part);
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  // The browser asks for the icon by itself.
  expect(loaded.filter((address) => !address.endsWith("/favicon.ico"))).toEqual([]);
}, 60_000);
