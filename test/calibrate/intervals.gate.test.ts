/** Numbers and durations: an interval until both sides meet, and what speaks against a value is named. */
import { expect, test } from "vitest";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { expectation, prettyCalibration } from "../../src/lab/calibrate/report.js";
import { entriesOf } from "./calls.js";
import { recorded } from "./session.js";

/** Texts of these lengths, to a service with a limit. */
const sent = (lengths: readonly number[], limit = 20) =>
  recorded({ "limits.textLength": limit }, async (s) => {
    for (const length of lengths) await s.send({ text: "x".repeat(length) });
  });
const learnFrom = (entries: Awaited<ReturnType<typeof sent>>) => learn(exchangesIn(entries, "session.har"));
const texts = async (...asked: Parameters<typeof sent>) => learnFrom(await sent(...asked));
const textLength = <T extends { key: string }>(list: readonly T[]): T | undefined =>
  list.find(({ key }) => key === "limits.textLength");

test("a limit is an interval until both sides meet", async () => {
  const wide = await texts([5, 30]);
  expect(textLength(wide.learned)).toBeUndefined();
  expect(textLength(wide.intervals)).toMatchObject({
    atLeast: 5,
    atMost: 29,
    evidence: [{ exchange: 0 }, { exchange: 2 }],
  });
  expect(prettyCalibration(wide)).toContain("limits.textLength: at least 5, at most 29");

  const exact = await texts([5, 30, 20, 21]);
  expect(textLength(exact.learned)).toMatchObject({ value: 20 });
  expect(textLength(exact.intervals)).toBeUndefined();
});

test("an earlier value outside of the interval is drift", async () => {
  const now = await texts([5, 15], 18);
  const drift = (value: number) => expectation("observed.yaml", { "limits.textLength": value }, now).drift;
  expect(drift(14)).toMatchObject([
    { key: "limits.textLength", expected: 14, seen: "limits.textLength: at least 15" },
  ]);
  expect(drift(15)).toEqual([]);

  const both = await texts([5, 15, 30], 18);
  const above = (value: number) => expectation("observed.yaml", { "limits.textLength": value }, both).drift;
  expect(above(30)).toMatchObject([{ expected: 30, seen: "limits.textLength: at least 15, at most 29" }]);
  expect(above(29)).toEqual([]);
});

test("a later exchange that contradicts a measured limit is reported, and the limit is not averaged", async () => {
  const entries = await sent([5, 20, 21, 40]);
  const last = entries.length - 1;
  Object.assign(entries[last]?.response ?? {}, { status: 200, content: { text: "{}" } });
  const { learned, unjudged, contradictions } = await learnFrom(entries);
  expect(textLength(learned)).toBeUndefined();
  expect([...unjudged, ...contradictions].map(({ exchange }) => exchange)).toContain(last);
});

test("pauses between attempts, and the time for which a key is taken, are bounded by what was seen", async () => {
  const data = { customerThreadId: 77, messageId: 5, messageBody: "Hi", fromCustomer: true };
  const sent = { eventType: "message", timestamp: 1, data };
  const attempt = (at: number, status: number) => ({ line: "POST /hook", at, time: 0, sent, status });
  const call = (at: number, status = 200) => ({
    line: "GET /api/webhooks/",
    ...{ time: 0, at, status, body: { webhooks: [] } },
  });
  const attempts = [attempt(1, 500), attempt(31, 500), attempt(151, 200)];
  const entries = entriesOf([call(0), ...attempts, call(50), call(300, 401)]);
  const { intervals } = await learn(exchangesIn(entries, "session.har").sort((a, b) => a.at - b.at));
  expect(intervals).toMatchObject([
    { key: "delivery.attempts", atLeast: 3 },
    { key: "delivery.backoff", atMost: ["30s", "2m"] },
    { key: "tokens.lifetime", atLeast: "50s" },
  ]);
});
