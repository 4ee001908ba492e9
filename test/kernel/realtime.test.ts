import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  instantOf,
  isoOf,
  later,
  monotonicNow,
  nextTurn,
  sleep,
  soon,
  wallNow,
} from "../../src/kernel/realtime.js";

describe("sleep", () => {
  it("resolves after the time", async () => {
    const before = monotonicNow();
    await sleep(20);
    expect(monotonicNow() - before).toBeGreaterThanOrEqual(19);
  });

  it("rejects as soon as its signal is aborted", async () => {
    const controller = new AbortController();
    const sleeping = sleep(600_000, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ name: "AbortError" });
    await expect(sleep(600_000, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a timer", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000 }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    [20, 20],
    [0, 0],
    [-5, 0],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 40, 2 ** 31 - 1],
    [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
  ])("of %s ms runs once after %s", (ms, after) => {
    const seen: number[] = [];
    later(ms, () => seen.push(wallNow()));
    if (after > 0) vi.advanceTimersByTime(after - 1);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(after > 0 ? 1 : 0);
    expect(seen).toEqual([50_000 + after]);
    vi.advanceTimersByTime(1_000);
    expect(seen).toHaveLength(1);
  });

  it("runs never once it is cancelled", () => {
    const seen: number[] = [];
    later(20, () => seen.push(1)).cancel();
    vi.advanceTimersByTime(1_000);
    expect([seen, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

it.each([
  [undefined, true],
  [{}, true],
  [{ background: false }, true],
  [{ background: true }, false],
])("a timer with %j keeps the process alive: %s", (options, alive) => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const timer = later(60_000, () => {}, options);
  try {
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([alive]);
  } finally {
    timer.cancel();
    timers.mockRestore();
  }
});

it("what comes soon comes after what is waiting, and before the next turn is over", async () => {
  const seen: string[] = [];
  soon(() => seen.push("soon"));
  await Promise.resolve().then(() => seen.push("at once"));
  await nextTurn();
  expect(seen).toEqual(["at once", "soon"]);
});

describe("an instant", () => {
  it.each<[unknown, number]>([
    [0, 0],
    [1_767_258_000_999, 1_767_258_000_999],
    [-1, -1],
    ["2026-01-01", 1_767_225_600_000],
    ["2026-01-01T09:00:00Z", 1_767_258_000_000],
    ["2026-01-01T09:00:00.5+01:00", 1_767_254_400_500],
  ])("is named by %j", (value, ms) => {
    expect(instantOf(value)).toBe(ms);
  });

  it.each([
    1.5,
    2 ** 60,
    Number.NaN,
    "",
    "now",
    "2026",
    "2026-13-01",
    "2026-01-1",
    ["2026-01-01"],
    "x2026-01-01",
    "1 January 2026",
    "+002026-01-01T09:00:00Z",
    null,
    undefined,
    {},
  ])("is not named by %j", (value) => {
    expect(instantOf(value)).toBeNaN();
  });

  it("is written in ISO 8601", () => {
    expect(isoOf(1_767_258_000_999)).toBe("2026-01-01T09:00:00.999Z");
  });
});
