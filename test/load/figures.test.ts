import { expect, it } from "vitest";
import { elapsedSince, later } from "../../src/kernel/realtime.js";
import { arrivalMs, arrive, Finish } from "../../src/lab/load/arrivals.js";
import type { Point } from "../../src/lab/load/report.js";
import { notesOn, readExpectation } from "../../src/lab/load/report.js";
import { progressLine } from "../../src/lab/load/reporters.js";
import { countsSince, samplesIn, withPoint } from "../../src/lab/load/sampler.js";
import { Buckets, Latency, Tally } from "../../src/lab/load/tally.js";

const POINT: Point = {
  ...{ s: 0, length: 1, customers: 1, messages: 2, replies: 1, failures: 0 },
  ...{ p50: null, p99: null, simulatorLag: 0, generatorLag: 0 },
};

it("arrivals are evenly spaced, and half as many during the ramp as after it", () => {
  expect([0, 1, 2].map((arrival) => arrivalMs(arrival, 10, 0))).toEqual([0, 100, 200]);
  const times = Array.from({ length: 150 }, (_, arrival) => arrivalMs(arrival, 10, 10_000));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.filter((ms) => ms < 10_000)).toHaveLength(50);
  expect(times.filter((ms) => ms >= 10_000 && ms < 20_000)).toHaveLength(100);
  expect(times.filter((ms) => ms < 5_000)).toHaveLength(13);
});

it("arrivals keep a rate of several per millisecond", async () => {
  const [finish, due] = [new Finish(), [] as number[]];
  const schedule = { model: { perSecond: 5_000 }, forMs: 100, rampMs: 0, tally: new Tally(), finish };
  await arrive(schedule, async (ms = 0) => {
    if (due.push(ms) === 500) later(1, () => finish.come());
  });
  expect(Math.round((due.at(-1) ?? 0) - (due[0] ?? 0))).toBe(100);
  expect(elapsedSince(due[0] ?? 0, 0)).toBeLessThan(0);
});

it("latency is exact to three digits, and null without values", () => {
  const latency = new Latency();
  expect(latency.figures).toEqual({ count: 0, mean: null, p50: null, p90: null, p99: null, max: null });
  expect(latency.curve()).toEqual([]);
  for (let ms = 1; ms <= 1_000; ms += 1) latency.record(ms);
  const exact = { p50: 500, p90: 900, p99: 990, max: 1_000, mean: 500.5, count: 1_000 };
  for (const [key, expected] of Object.entries(exact))
    expect(Math.abs((latency.figures[key as "p50"] ?? 0) / expected - 1), key).toBeLessThan(0.002);
  expect(latency.takeRecent().p50).toBe(latency.figures.p50);
  expect(latency.takeRecent()).toEqual({ p50: null, p99: null });
  expect(latency.figures.count).toBe(1_000);
});

it("latency is counted in cumulative buckets", () => {
  const buckets = new Buckets();
  for (const ms of [0.5, 1, 4, 90_000]) buckets.record(ms);
  const counts = buckets.cumulative.map(({ boundMs, count }) => [boundMs, count]);
  expect(counts.slice(0, 4)).toEqual([
    [1, 2],
    [2, 2],
    [3, 2],
    [5, 3],
  ]);
  expect(counts.slice(-2)).toEqual([
    [60_000, 3],
    [Number.POSITIVE_INFINITY, 4],
  ]);
  expect(buckets.sumMs).toBe(90_005.5);
});

it("no upper limit holds for replies that did not come", () => {
  const latency = new Latency();
  for (let ms = 1; ms <= 100; ms += 1) latency.record(ms);
  const judged = (text: string, timeouts: number) => {
    const expectation = readExpectation(text);
    if (typeof expectation === "string") throw new Error(expectation);
    return expectation.judge({ latency, timeouts, done: 100, failed: timeouts, wrong: 0 });
  };
  expect(judged("p99<60s", 1).ok).toBe(true);
  expect(judged("p99<60s", 2)).toEqual({ ok: false, seen: "99 ms or more: 2 timeouts" });
  expect(judged("max<=60s", 1).ok).toBe(false);
  expect(judged("mean<60s", 1).ok).toBe(false);
  expect(judged("max>10ms", 1).ok).toBe(true);
});

it("the timeline covers the whole run with a bounded number of points", () => {
  const seconds = 5_000;
  let points: readonly Point[] = [];
  for (let s = 1; s <= seconds; s += 1)
    points = withPoint(points, { ...POINT, s, p50: s % 2 === 0 ? s : null });
  expect(points.length).toBeLessThanOrEqual(1_200);
  expect(points.reduce((sum, { messages }) => sum + messages, 0)).toBe(2 * seconds);
  expect(points.reduce((sum, { length }) => sum + length, 0)).toBe(seconds);
  expect(points.at(-1)).toMatchObject({ s: seconds, p50: seconds, customers: 1 });
});

it("a line of progress describes one second", () => {
  const point = { ...POINT, s: 3.02, length: 2, customers: 40, messages: 90, p50: 12.34, p99: 1_500 };
  expect(progressLine(point)).toBe("3 s  40 customers  45 messages/s  p50 12 ms  p99 1.50 s  0 failed");
  expect(progressLine(POINT)).toContain("p50 none");
});

it("the simulator's figures are read from Prometheus text", () => {
  const text = [
    "# HELP messaging_sim_a b\n# TYPE messaging_sim_a counter",
    'messaging_sim_a{x="1",y="two"} 4\nmessaging_sim_a{x="2",y="one"} 5\nmessaging_sim_b 2.5\n',
  ].join("\n");
  expect([...samplesIn(text)]).toEqual([
    ["a", { "1 two": 4, "2 one": 5 }],
    ["b", { "": 2.5 }],
  ]);
  expect(countsSince({ a: 1, b: 2 }, { a: 1, b: 5, c: 1 })).toEqual({ b: 3, c: 1 });
});

const idle = { p50: 0.1, p99: 1, max: 5 };
const late = { p50: 5, p99: 40, max: 90 };
const conversations = { started: 9, done: 9, failed: 0, unfinished: 0, turnedAway: 0, peak: 7 };
const sending = { p50: 1, p99: 9, max: 20 };
const latencyOf = (p50: number | null) => ({ p50, p99: 400, max: 500 });
const seen = { sending, conversations, pendingPeak: 3, breaks: 0, isOrdered: false };
const notes = (
  { p50 = 100, ...more }: { p50?: number | null } & Partial<Parameters<typeof notesOn>[0]>,
  lag = { simulator: idle, generator: idle, sameProcess: false },
) => notesOn({ ...seen, lag, latency: latencyOf(p50), ...more });

it("notes are empty if the figures are those of the system under test", () => {
  const lag = (sameProcess: boolean) => ({ simulator: late, generator: late, sameProcess });
  expect(notes({})).toEqual([]);
  expect(notes({ p50: 1 })).toEqual([]);
  expect(notes({ p50: null }, lag(true))).toEqual([]);
  expect(notes({ p50: 200 }, lag(false))).toEqual([]);
  expect(notes({ sending: { p50: null, p99: null, max: null } })).toEqual([]);
});

it.each([
  ["the simulator's: its event loop lagged by 40 ms", late, idle, false],
  ["the generator's: its event loop lagged by 40 ms", idle, late, false],
  ["the simulator's and the generator's: its", late, late, true],
])("notes name the process that adds to the latency: %s", (whose, simulator, generator, sameProcess) => {
  expect(notes({}, { simulator, generator, sameProcess })).toEqual([
    expect.stringContaining(`Part of the latency is ${whose}`),
  ]);
});

it.each([
  ["Messages were late: half took 80 ms or more", { sending: { ...sending, p50: 80, p99: 900 } }],
  ["1 % took 350 ms or more", { sending: { ...sending, p99: 350, max: 450 } }],
  ["one took 450 ms or more", { sending: { ...sending, max: 450 } }],
  ["each webhook gets 64 at a time", { pendingPeak: 500 }],
  ["delivery.order: none", { pendingPeak: 5, isOrdered: true }],
  ["4 arrivals", { conversations: { ...conversations, turnedAway: 4 } }],
  ["interrupted 2 times", { breaks: 2 }],
])("notes report what was late, waiting, turned away or missed: %s", (text, figures) => {
  expect(notes(figures)).toEqual([expect.stringContaining(text)]);
});
