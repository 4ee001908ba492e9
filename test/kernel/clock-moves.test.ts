/** The notifications of a clock: when it is moved, and when a timer fails while it runs. */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Clock } from "../../src/kernel/clock.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

beforeEach(() => void vi.useFakeTimers({ now: 50_000 }));
afterEach(() => void vi.useRealTimers());

describe("onMove", () => {
  it("is called whenever the clock is set, frozen or unfrozen", () => {
    const seen: [number, boolean][] = [];
    const clock: Clock = new Clock(undefined, () => {
      const { now, frozen } = clock.state();
      seen.push([now, frozen]);
    });
    clock.set({ now: 70_000 });
    clock.set({ frozen: true });
    clock.set({ now: 80_000 });
    clock.set({ now: 90_000, frozen: false });
    clock.set({});
    expect(seen).toEqual([
      [70_000, false],
      [70_000, true],
      [80_000, true],
      [90_000, false],
      [90_000, false],
    ]);
  });

  it("is called after an advance, and not as time passes", async () => {
    const moved = vi.fn();
    const clock = new Clock(undefined, moved);
    clock.at(50_010, () => {});
    vi.advanceTimersByTime(1_000);
    expect(moved).not.toHaveBeenCalled();
    await clock.advance(5_000);
    expect(moved).toHaveBeenCalled();
    expect(clock.state()).toEqual({ now: 56_000, frozen: false });
  });
});

describe("a timer that fails in real time", () => {
  it("is reported, whether it throws or rejects, and later ones still fire", async () => {
    const report = vi.fn();
    const clock = new Clock(undefined, undefined, report);
    const fired = vi.fn();
    clock.at(50_010, () => {
      throw new Error("thrown");
    });
    clock.at(50_010, () => Promise.reject(new Error("rejected")));
    clock.at(50_010, fired);
    await vi.advanceTimersByTimeAsync(10);
    expect(report.mock.calls.map(([error]) => error.message)).toEqual(["thrown", "rejected"]);
    expect(fired).toHaveBeenCalledOnce();
  });

  it("is not reported if an advance waits for it", async () => {
    const report = vi.fn();
    const clock = new Clock(0, undefined, report);
    clock.at(5, () => Promise.reject(new Error("rejected")));
    await expect(clock.advance(10)).rejects.toThrow("rejected");
    expect(report).not.toHaveBeenCalled();
  });
});

describe("an advance", () => {
  const setAndClose = (clock: Clock) => {
    clock.set({ now: 7 });
    clock.close();
  };

  it("ends when a timer freezes, unfreezes, sets or closes the clock", async () => {
    for (const [end, state] of [
      [(clock: Clock) => clock.set({ frozen: true }), { now: 10, frozen: true }],
      [(clock: Clock) => clock.set({ frozen: false }), { now: 10, frozen: false }],
      [(clock: Clock) => clock.close(), { now: 10, frozen: true }],
      [(clock: Clock) => clock.set({ now: 1_000 }), { now: 1_000, frozen: true }],
      [setAndClose, { now: 7, frozen: true }],
    ] as const) {
      const clock = new Clock(0);
      const later = vi.fn();
      clock.at(10, () => end(clock));
      clock.at(10, later);
      await clock.advance(100);
      expect(clock.state()).toEqual(state);
      expect(later).not.toHaveBeenCalled();
      clock.close();
    }
  });

  it("does nothing on a closed clock", async () => {
    const clock = new Clock(100);
    clock.close();
    await clock.advance(50);
    expect(clock.now()).toBe(100);
  });
});

describe("the position of a clock", () => {
  it("lets another clock continue: frozen at its instant, or running at its offset", () => {
    const frozen = new Clock(7);
    expect(frozen.position()).toEqual({ frozenAt: 7 });
    const running = new Clock();
    running.set({ now: 80_000 });
    expect(running.position()).toEqual({ aheadMs: 30_000, at: expect.any(Number) });
    vi.advanceTimersByTime(1_000);
    expect(new Clock(frozen.position()).state()).toEqual({ now: 7, frozen: true });
    expect(new Clock(running.position()).state()).toEqual({ now: 81_000, frozen: false });
  });
});

it("timers that are set while others fire keep their order", () => {
  const clock = new Clock();
  const seen: string[] = [];
  clock.at(50_010, () => {
    seen.push("first");
    clock.at(50_005, () => void seen.push("overdue"));
    clock.at(50_020, () => void seen.push("later"));
  });
  clock.at(50_010, () => void seen.push("second"));
  vi.advanceTimersByTime(10);
  expect(seen).toEqual(["first", "overdue", "second"]);
  vi.advanceTimersByTime(10);
  expect(seen).toEqual(["first", "overdue", "second", "later"]);
  expect(vi.getTimerCount()).toBe(0);
});
