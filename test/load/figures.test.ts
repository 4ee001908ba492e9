import { describe, expect, it } from "vitest";
import { arrivalMs } from "../../src/lab/load/arrivals.js";
import type { Point } from "../../src/lab/load/report.js";
import { notesOn, readExpectation } from "../../src/lab/load/report.js";
import { progressLine } from "../../src/lab/load/reporters.js";
import { countsSince, samplesIn, withPoint } from "../../src/lab/load/sampler.js";
import { Buckets, Latency } from "../../src/lab/load/tally.js";

const POINT: Point = {
  s: 0,
  length: 1,
  customers: 1,
  messages: 2,
  replies: 1,
  failures: 0,
  p50: null,
  p99: null,
  simulatorLag: 0,
  generatorLag: 0,
};

describe("arrivals", () => {
  it("are evenly apart, and during the ramp half as many as after it", () => {
    expect([0, 1, 2].map((arrival) => arrivalMs(arrival, 10, 0))).toEqual([0, 100, 200]);
    const times = Array.from({ length: 150 }, (_, arrival) => arrivalMs(arrival, 10, 10_000));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.filter((ms) => ms < 10_000)).toHaveLength(50);
    expect(times.filter((ms) => ms >= 10_000 && ms < 20_000)).toHaveLength(100);
    expect(times.filter((ms) => ms < 5_000)).toHaveLength(13);
  });
});

describe("latency", () => {
  it("is exact to three digits, and null while there is none", () => {
    const latency = new Latency();
    expect(latency.figures).toEqual({ count: 0, mean: null, p50: null, p90: null, p99: null, max: null });
    expect(latency.curve()).toEqual([]);
    for (let ms = 1; ms <= 1_000; ms += 1) latency.record(ms);
    const { p50 = 0, p90 = 0, p99 = 0, max = 0, mean = 0, count } = latency.figures;
    expect(count).toBe(1_000);
    for (const [seen, expected] of [
      [p50, 500],
      [p90, 900],
      [p99, 990],
      [max, 1_000],
      [mean, 500.5],
    ])
      expect(Math.abs((seen as number) - (expected as number)) / (expected as number)).toBeLessThan(0.002);
    expect(latency.takeRecent().p50).toBe(p50);
    expect(latency.takeRecent()).toEqual({ p50: null, p99: null });
    expect(latency.figures.count).toBe(1_000);
  });

  it("counts by bucket, each with all that is faster", () => {
    const buckets = new Buckets();
    for (const ms of [0.5, 1, 4, 90_000]) buckets.record(ms);
    const counts = buckets.cumulative;
    expect(counts.slice(0, 4)).toEqual([
      { boundMs: 1, count: 2 },
      { boundMs: 2, count: 2 },
      { boundMs: 3, count: 2 },
      { boundMs: 5, count: 3 },
    ]);
    expect(counts.slice(-2)).toEqual([
      { boundMs: 60_000, count: 3 },
      { boundMs: Number.POSITIVE_INFINITY, count: 4 },
    ]);
    expect(buckets.sumMs).toBe(90_005.5);
  });
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

describe("the timeline", () => {
  it("has a bounded number of points that stand for the whole time", () => {
    const seconds = 5_000;
    let points: readonly Point[] = [];
    for (let s = 1; s <= seconds; s += 1)
      points = withPoint(points, { ...POINT, s, p50: s % 2 === 0 ? s : null });
    expect(points.length).toBeLessThanOrEqual(1_200);
    expect(points.reduce((sum, { messages }) => sum + messages, 0)).toBe(2 * seconds);
    expect(points.reduce((sum, { length }) => sum + length, 0)).toBe(seconds);
    expect(points.at(-1)).toMatchObject({ s: seconds, p50: seconds, customers: 1 });
  });
});

describe("a line of progress", () => {
  it("tells of a second", () => {
    const point = { ...POINT, s: 3.02, length: 2, customers: 40, messages: 90, p50: 12.34, p99: 1_500 };
    expect(progressLine(point)).toBe("3 s  40 customers  45 messages/s  p50 12 ms  p99 1.50 s  0 failed");
    expect(progressLine(POINT)).toContain("p50 none");
  });
});

describe("the simulator's figures", () => {
  it("are read from Prometheus text", () => {
    const text = '# HELP a b\n# TYPE a counter\na{x="1",y="say \\"hi\\""} 4\nb 2.5\n';
    expect(samplesIn(text)).toEqual([
      { name: "a", labels: { x: "1", y: 'say \\"hi\\"' }, value: 4 },
      { name: "b", labels: {}, value: 2.5 },
    ]);
    expect(countsSince({ a: 1, b: 2 }, { a: 1, b: 5, c: 1 })).toEqual({ b: 3, c: 1 });
  });
});

describe("notes", () => {
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

  it("say nothing where the figures are those of the system under test", () => {
    expect(notes({})).toEqual([]);
    expect(notes({ p50: 1 })).toEqual([]);
    expect(notes({ p50: null }, { simulator: late, generator: late, sameProcess: true })).toEqual([]);
    expect(notes({ p50: 200 }, { simulator: late, generator: late, sameProcess: false })).toEqual([]);
  });

  it("say whose the latencies are", () => {
    const [simulator] = notes({}, { simulator: late, generator: idle, sameProcess: false });
    expect(simulator).toContain("Part of the latency is the simulator's own");
    expect(simulator).toContain("lagged by 40 ms");
    const [generator] = notes({}, { simulator: idle, generator: late, sameProcess: false });
    expect(generator).toContain("Part of the latency is the generator's own");
    const [both, second] = notes({}, { simulator: late, generator: late, sameProcess: true });
    expect(both).toContain("Part of the latency is the simulator's and the generator's own");
    expect(second).toBeUndefined();
  });

  it("say that messages were late", () => {
    const late = (sendings: Partial<typeof sending>) => notes({ sending: { ...sending, ...sendings } });
    expect(late({ p50: 80, p99: 900 })).toEqual([
      expect.stringContaining("Messages were late: half took 80 ms or more"),
    ]);
    expect(late({ p99: 350, max: 450 })).toEqual([expect.stringContaining("1 % took 350 ms or more")]);
    expect(late({ max: 450 })).toEqual([expect.stringContaining("one took 450 ms or more")]);
    expect(notes({ sending: { p50: null, p99: null, max: null } })).toEqual([]);
  });

  it("say what waited, who was turned away, and what was missed", () => {
    expect(notes({ pendingPeak: 500 })[0]).toContain("each webhook gets 64 at a time");
    expect(notes({ pendingPeak: 5, isOrdered: true })[0]).toContain("delivery.order: none");
    expect(notes({ conversations: { ...conversations, turnedAway: 4 } })[0]).toContain("4 arrivals");
    expect(notes({ breaks: 2 })[0]).toContain("broke 2 times");
  });
});
