import { once } from "node:events";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Clock, type Timer } from "../../src/kernel/clock.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

/** Sets timers for these instants, and records when they fire. */
function firedAt(clock: Clock, ...dues: number[]): number[] {
  const seen: number[] = [];
  for (const due of dues) clock.at(due, () => void seen.push(clock.now()));
  return seen;
}

const step = fc.record({
  kind: fc.constantFrom("set", "cancel", "advance", "jump"),
  ms: fc.integer({ min: -20, max: 60 }),
  then: fc.option(fc.nat(30), { nil: undefined }),
});

/** A model of the clock: an array of timers, searched linearly. */
class Model {
  now = 0;
  readonly fired: string[] = [];
  timers: { id: number; due: number; then?: number | undefined }[] = [];
  #count = 0;

  set(due: number, then?: number): void {
    this.timers.push({ id: this.#count++, due, then });
  }

  advance(ms: number): void {
    const target = this.now + ms;
    for (;;) {
      const due = this.timers.filter((timer) => timer.due <= target);
      const [next] = due.sort((a, b) => a.due - b.due || a.id - b.id);
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.due);
      this.fired.push(`${next.id}@${this.now}`);
      if (next.then !== undefined) this.set(this.now + next.then);
    }
    this.now = target;
  }
}

describe("a frozen clock", () => {
  it("fires the same timers as the model, at the same instants and in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const [clock, model] = [new Clock(0), new Model()];
        const fired: string[] = [];
        const timers: Timer[] = [];
        const set = (due: number, then?: number): void => {
          const id = timers.length;
          const run = async () => {
            await Promise.resolve();
            fired.push(`${id}@${clock.now()}`);
            if (then !== undefined) set(clock.now() + then);
          };
          timers.push(clock.at(due, run));
        };
        for (const { kind, ms, then } of steps) {
          if (kind === "set") {
            set(clock.now() + ms, then);
            model.set(model.now + ms, then);
          } else if (kind === "cancel") {
            timers[ms]?.cancel();
            model.timers = model.timers.filter(({ id }) => id !== ms);
          } else if (kind === "jump") {
            clock.set({ now: clock.now() + ms });
            model.now += ms;
          } else {
            await clock.advance(Math.abs(ms));
            model.advance(Math.abs(ms));
          }
          expect(fired).toEqual(model.fired);
          expect([clock.now(), clock.pending]).toEqual([model.now, model.timers.length]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("moves on when timers fail, and rejects with the first failure", async () => {
    const report = vi.fn();
    const clock = new Clock(0, undefined, report);
    clock.at(1, () => {
      throw new Error("first");
    });
    clock.at(2, () => Promise.reject(new Error("second")));
    const seen = firedAt(clock, 3);
    await expect(clock.advance(10)).rejects.toThrow("first");
    expect([seen, clock.now()]).toEqual([[3], 10]);
    await clock.advance(5);
    expect(clock.now()).toBe(15);
    expect(report).not.toHaveBeenCalled();
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to advance by %s", async (ms) => {
    const clock = new Clock(0);
    await expect(clock.advance(ms)).rejects.toThrow(new RangeError("time only moves forward"));
    expect(clock.now()).toBe(0);
  });

  it("refuses a timer without an instant", () => {
    expect(() => new Clock(0).at(Number.NaN, () => {})).toThrow(new RangeError("a timer needs a time"));
  });
});

describe("an advance", () => {
  it("awaits each timer before the next", async () => {
    const clock = new Clock(0);
    const gate = new AbortController();
    clock.at(5, () => once(gate.signal, "abort"));
    const seen = firedAt(clock, 5, 15);
    const move = clock.advance(20);
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    gate.abort();
    await move;
    expect([seen, clock.now()]).toEqual([[5, 15], 20]);
  });

  it("ends when the clock is closed, and leaves no timer", async () => {
    const clock = new Clock(0);
    const gate = new AbortController();
    clock.at(5, () => once(gate.signal, "abort"));
    const seen = firedAt(clock, 6);
    const move = clock.advance(10);
    await new Promise(setImmediate);
    clock.close();
    seen.push(...firedAt(clock, 7));
    gate.abort();
    await move;
    await clock.advance(50);
    expect([seen, clock.pending, clock.now()]).toEqual([[], 0, 5]);
  });

  const setAndClose = (clock: Clock) => {
    clock.set({ now: 7 });
    clock.close();
  };
  it.each<[string, (clock: Clock) => void, now: number]>([
    ["freezes", (clock) => clock.set({ frozen: true }), 10],
    ["unfreezes", (clock) => clock.set({ frozen: false }), 10],
    ["closes", (clock) => clock.close(), 10],
    ["sets", (clock) => clock.set({ now: 1_000 }), 1_000],
    ["sets and closes", setAndClose, 7],
  ])("ends when a timer %s the clock", async (how, end, now) => {
    // An unfrozen clock follows real time.
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = new Clock(0);
    clock.at(10, () => end(clock));
    const seen = firedAt(clock, 10);
    await clock.advance(100);
    expect(clock.state()).toEqual({ now, frozen: how !== "unfreezes" });
    expect(seen).toEqual([]);
    clock.close();
  });
});

describe("a running clock", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000 }));
  afterEach(() => void vi.useRealTimers());

  it("continues from the instant that it is set to, and fires at once what is then due", () => {
    const clock = new Clock();
    const seen = firedAt(clock, 60_000, 1_000_010);
    clock.set({ now: 1_000_000 });
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(0);
    expect(seen).toEqual([1_000_000]);
    vi.advanceTimersByTime(20);
    expect(seen).toEqual([1_000_000, 1_000_010]);
    expect(clock.now()).toBe(1_000_020);
  });

  it("keeps its instant while it is frozen, without a timer of the platform", () => {
    const clock = new Clock();
    const seen = firedAt(clock, 50_010);
    clock.set({ frozen: true });
    firedAt(clock, 49_995, 50_000);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect([seen, clock.now()]).toEqual([[], 50_000]);
    clock.set({ frozen: false });
    vi.advanceTimersByTime(10);
    expect([seen, clock.now()]).toEqual([[50_010], 50_010]);
  });

  it("stands still during an advance and continues from its end", async () => {
    const clock = new Clock();
    const seen: number[] = [];
    clock.at(53_600, () => {
      vi.advanceTimersByTime(10_000);
      seen.push(clock.now());
    });
    await clock.advance(3_600);
    expect(seen).toEqual([53_600]);
    expect(clock.state()).toEqual({ now: 53_600, frozen: false });
    vi.advanceTimersByTime(5);
    expect(clock.now()).toBe(53_605);
  });

  it("supports instants beyond the range of platform timers", () => {
    const clock = new Clock();
    const due = 50_000 + 90 * 86_400_000;
    const seen = firedAt(clock, due);
    vi.advanceTimersByTime(89 * 86_400_000);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(86_400_000);
    expect(seen).toEqual([due]);
  });

  it("holds at most one platform timer, and none once all timers are cancelled or it is closed", () => {
    const clock = new Clock();
    const dues = Array.from({ length: 500 }, (_, index) => 60_000 + ((index * 7_919) % 500));
    const timers = dues.map((due) => clock.at(due, () => {}));
    expect(vi.getTimerCount()).toBe(1);
    for (const timer of timers.slice(1)) timer.cancel();
    expect([clock.pending, vi.getTimerCount()]).toEqual([1, 1]);
    for (const _ of "ab") timers[0]?.cancel();
    expect([clock.pending, vi.getTimerCount()]).toEqual([0, 0]);
    firedAt(clock, 60_000);
    expect(vi.getTimerCount()).toBe(1);
    clock.close();
    firedAt(clock, 50_006);
    expect([clock.pending, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("follows real time, and keeps the order of timers, even of those that are set while others fire", () => {
    const clock = new Clock();
    expect(clock.state()).toEqual({ now: 50_000, frozen: false });
    const last = firedAt(clock, 50_030);
    const seen: string[] = [];
    clock.at(50_010, () => {
      seen.push("first");
      clock.at(50_005, () => void seen.push("overdue"));
      clock.at(50_020, () => void seen.push("later"));
    });
    clock.at(50_010, () => void seen.push("second"));
    vi.advanceTimersByTime(10);
    expect(seen).toEqual(["first", "overdue", "second"]);
    vi.advanceTimersByTime(100);
    expect([seen.at(-1), last, vi.getTimerCount()]).toEqual(["later", [50_030], 0]);
  });

  it("reports timers that throw or reject, and later ones still fire", async () => {
    const report = vi.fn();
    const clock = new Clock(undefined, undefined, report);
    clock.at(50_010, () => {
      throw new Error("thrown");
    });
    clock.at(50_010, () => Promise.reject(new Error("rejected")));
    const seen = firedAt(clock, 50_010);
    await vi.advanceTimersByTimeAsync(10);
    expect(report.mock.calls.map(([error]) => error.message)).toEqual(["thrown", "rejected"]);
    expect(seen).toEqual([50_010]);
  });

  it("continues after a timer whose error nobody receives", () => {
    const clock = new Clock();
    clock.at(50_010, () => {
      throw new Error("broken");
    });
    const seen = firedAt(clock, 50_010);
    expect(() => vi.advanceTimersByTime(10)).toThrow("broken");
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([50_011]);
  });

  it("tells whenever it is set, frozen, unfrozen or advanced, and not as time passes", async () => {
    const seen: string[] = [];
    const clock: Clock = new Clock(undefined, () => {
      const { now, frozen } = clock.state();
      seen.push(`${now}${frozen ? " frozen" : ""}`);
    });
    firedAt(clock, 50_010);
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual([]);
    clock.set({ now: 70_000 });
    clock.set({ frozen: true });
    clock.set({ now: 80_000 });
    clock.set({ now: 90_000, frozen: false });
    clock.set({});
    await clock.advance(5_000);
    expect(seen.slice(0, 5)).toEqual(["70000", "70000 frozen", "80000 frozen", "90000", "90000"]);
    expect(seen.at(-1)).toBe("95000");
  });

  it("has a position from which another continues: frozen at its instant, or running at its offset", () => {
    const frozen = new Clock(7);
    expect(frozen.position()).toEqual({ frozenAt: 7 });
    const running = new Clock();
    running.set({ now: 80_000 });
    expect(running.position()).toEqual({ aheadMs: 30_000 });
    vi.advanceTimersByTime(1_000);
    expect(new Clock(frozen.position()).state()).toEqual({ now: 7, frozen: true });
    expect(new Clock(running.position()).state()).toEqual({ now: 81_000, frozen: false });
  });
});

it("a running clock does not keep the process alive", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const clock = new Clock();
  try {
    clock.at(clock.now() + 60_000, () => {});
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  } finally {
    clock.close();
    timers.mockRestore();
  }
});
