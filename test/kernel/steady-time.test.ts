import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { SteadyTime } from "../../src/kernel/steady-time.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

const START = 1_767_258_000_000;
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

/** The machine's clock is set by so many ms, while no time passes. */
const setBy = (ms: number) => vi.setSystemTime(Date.now() + ms);

it("is the machine's time", () => {
  const time = new SteadyTime();
  expect(time.now()).toBe(START);
  vi.advanceTimersByTime(1_234);
  expect(time.now()).toBe(START + 1_234);
});

it.each([
  [5, 5],
  [86_400_000, 86_400_000],
  [-1, -1],
  [-1_000, -1_000],
  [-1_001, 0],
  [-86_400_000, 0],
])("follows a machine that is set by %d ms by %d ms", (ms, followed) => {
  const time = new SteadyTime();
  setBy(ms);
  expect(time.now()).toBe(START + followed);
  expect(time.now()).toBe(START + followed);
  vi.advanceTimersByTime(60_000);
  expect(time.now()).toBe(START + followed + 60_000);
});

it("goes on from one setting to the next, with the time that passed in between", () => {
  const time = new SteadyTime();
  let expected = START;
  for (const [passed, ms] of [
    [10_000, -3_600_000],
    [20_000, -7_200_000],
    [0, 0],
    [500, 1_800_000],
    [5_000, -5_000],
    [1, 1],
  ] as const) {
    vi.advanceTimersByTime(passed);
    setBy(ms);
    expected += passed + Math.max(0, ms);
    expect(time.now()).toBe(expected);
  }
});

it("counts what passed since somebody asked last, however seldom that is", () => {
  const time = new SteadyTime();
  vi.advanceTimersByTime(3_600_000);
  setBy(-1_800_000);
  expect(time.now()).toBe(START + 3_600_000);
});
