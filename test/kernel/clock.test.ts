import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Timer } from "../../src/kernel/clock.js";
import { Clock } from "../../src/kernel/clock.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

describe("a clock that follows real time", () => {
  const MINUTE = 60_000;
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("delays no timer when the machine's clock is set back", () => {
    const clock = new Clock();
    let fired = 0;
    const began = clock.now();
    clock.at(began + MINUTE, () => void (fired += 1));
    vi.advanceTimersByTime(MINUTE / 2);
    vi.setSystemTime(Date.now() - 60 * MINUTE);
    vi.advanceTimersByTime(MINUTE / 2 - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(2);
    expect(fired).toBe(1);
    expect(clock.now() - began).toBe(MINUTE + 1);
  });
});

/** A promise that the test resolves. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Sets timers for these instants, and records when they fire. */
function firedAt(clock: Clock, ...dues: number[]): number[] {
  const seen: number[] = [];
  for (const due of dues) clock.at(due, () => void seen.push(clock.now()));
  return seen;
}

type Step =
  | { kind: "at"; delay: number }
  | { kind: "chained"; delay: number; then: number }
  | { kind: "cancel"; which: number }
  | { kind: "advance"; ms: number }
  | { kind: "jump"; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("at" as const), delay: fc.integer({ min: -5, max: 60 }) }),
  fc.record({ kind: fc.constant("chained" as const), delay: fc.nat(30), then: fc.nat(30) }),
  fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(40) }),
  fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(25) }),
  fc.record({ kind: fc.constant("jump" as const), ms: fc.integer({ min: -20, max: 20 }) }),
);

/** A model of the clock: an array of timers, searched linearly. */
class Model {
  now = 0;
  fired: string[] = [];
  timers: { id: number; due: number; then?: number | undefined }[] = [];
  #count = 0;

  add(due: number, then?: number): number {
    this.#count += 1;
    this.timers.push({ id: this.#count, due, then });
    return this.#count;
  }

  advance(ms: number): void {
    const target = this.now + ms;
    for (;;) {
      const next = this.timers
        .filter(({ due }) => due <= target)
        .sort((a, b) => a.due - b.due || a.id - b.id)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.due);
      this.fired.push(`${next.id}@${this.now}`);
      if (next.then !== undefined) this.add(this.now + next.then);
    }
    this.now = target;
  }
}

describe("a frozen clock", () => {
  it("fires the same timers as the model, at the same instants and in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new Clock(0);
        const model = new Model();
        const fired: string[] = [];
        const timers = new Map<number, Timer>();
        let count = 0;
        const set = (due: number, then?: number): void => {
          count += 1;
          const id = count;
          const run = async () => {
            await Promise.resolve();
            fired.push(`${id}@${clock.now()}`);
            if (then !== undefined) set(clock.now() + then);
          };
          timers.set(id, clock.at(due, run));
        };
        for (const action of steps) {
          if (action.kind === "at" || action.kind === "chained") {
            const then = action.kind === "chained" ? action.then : undefined;
            set(clock.now() + action.delay, then);
            model.add(model.now + action.delay, then);
          } else if (action.kind === "cancel") {
            timers.get(action.which)?.cancel();
            model.timers = model.timers.filter(({ id }) => id !== action.which);
          } else if (action.kind === "jump") {
            clock.set({ now: clock.now() + action.ms });
            model.now += action.ms;
          } else {
            await clock.advance(action.ms);
            model.advance(action.ms);
          }
          expect(fired).toEqual(model.fired);
          expect(clock.now()).toBe(model.now);
          expect(clock.pending).toBe(model.timers.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("queues concurrent advances", async () => {
    const clock = new Clock(0);
    const gate = deferred();
    const seen: number[] = [];
    clock.at(5, () => gate.promise);
    clock.at(15, () => void seen.push(clock.now()));
    const moves = [clock.advance(10), clock.advance(10)];
    expect(seen).toEqual([]);
    gate.resolve();
    await Promise.all(moves);
    expect(seen).toEqual([15]);
    expect(clock.now()).toBe(20);
  });

  it("moves on when timers fail, and rejects with the first failure", async () => {
    const clock = new Clock(0);
    const seen: number[] = [];
    clock.at(1, () => {
      throw new Error("first");
    });
    clock.at(2, () => Promise.reject(new Error("second")));
    clock.at(3, () => void seen.push(clock.now()));
    await expect(clock.advance(10)).rejects.toThrow("first");
    expect(seen).toEqual([3]);
    expect(clock.now()).toBe(10);
    await clock.advance(5);
    expect(clock.now()).toBe(15);
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

describe("close", () => {
  it("ends running and queued advances, and leaves no timer", async () => {
    const clock = new Clock(0);
    const gate = deferred();
    const seen: string[] = [];
    clock.at(5, () => gate.promise);
    clock.at(6, () => void seen.push("left over"));
    const moves = [clock.advance(10), clock.advance(10)];
    await Promise.resolve();
    await Promise.resolve();
    clock.close();
    clock.at(7, () => void seen.push("new"));
    gate.resolve();
    await Promise.all(moves);
    expect(clock.pending).toBe(0);
    await clock.advance(50);
    expect(seen).toEqual([]);
  });
});

describe("a running clock", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000 }));
  afterEach(() => void vi.useRealTimers());

  it("sets no platform timer while it is frozen", () => {
    const clock = new Clock(0);
    const seen: number[] = [];
    for (const due of [-5, 0, 5]) clock.at(due, () => void seen.push(due));
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([]);
  });

  it("follows real time, and fires timers when they are due", () => {
    const clock = new Clock();
    const seen = firedAt(clock, 50_030, 50_010, 50_020);
    expect(clock.state()).toEqual({ now: 50_000, frozen: false });
    vi.advanceTimersByTime(15);
    expect(seen).toEqual([50_010]);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([50_010, 50_020, 50_030]);
    expect(vi.getTimerCount()).toBe(0);
  });

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

  it("keeps its instant while it is frozen", () => {
    const clock = new Clock();
    const seen = firedAt(clock, 50_010);
    clock.set({ frozen: true });
    vi.advanceTimersByTime(1_000);
    expect(clock.now()).toBe(50_000);
    expect(seen).toEqual([]);
    clock.set({ frozen: false });
    vi.advanceTimersByTime(10);
    expect(seen).toEqual([50_010]);
    expect(clock.now()).toBe(50_010);
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

  it("awaits each timer of an advance before the next, whatever real time does", async () => {
    const clock = new Clock();
    const gate = deferred();
    const seen: number[] = [];
    clock.at(50_010, () => gate.promise);
    clock.at(50_010, () => void seen.push(clock.now()));
    const moved = clock.advance(20);
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual([]);
    gate.resolve();
    await moved;
    expect(seen).toEqual([50_010]);
  });

  it("supports instants beyond the range of platform timers", () => {
    const clock = new Clock();
    const seen: number[] = [];
    const due = 50_000 + 90 * 86_400_000;
    clock.at(due, () => void seen.push(clock.now()));
    vi.advanceTimersByTime(89 * 86_400_000);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(86_400_000);
    expect(seen).toEqual([due]);
  });

  it("holds at most one platform timer, and none once all timers are cancelled", () => {
    const clock = new Clock();
    const timers = Array.from({ length: 500 }, (_, index) =>
      clock.at(60_000 + ((index * 7_919) % 500), () => {}),
    );
    expect(vi.getTimerCount()).toBe(1);
    for (const timer of timers.slice(1)) timer.cancel();
    expect(clock.pending).toBe(1);
    expect(vi.getTimerCount()).toBe(1);
    timers[0]?.cancel();
    timers[0]?.cancel();
    expect(clock.pending).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("continues after a timer that throws", () => {
    const clock = new Clock();
    const seen: number[] = [];
    clock.at(50_010, () => {
      throw new Error("broken");
    });
    clock.at(50_010, () => void seen.push(clock.now()));
    expect(() => vi.advanceTimersByTime(10)).toThrow("broken");
    vi.advanceTimersByTime(1);
    expect(seen).toEqual([50_011]);
  });

  it("leaves no platform timer when it is closed", () => {
    const clock = new Clock();
    clock.at(50_005, () => {});
    expect(vi.getTimerCount()).toBe(1);
    clock.close();
    clock.at(50_006, () => {});
    expect(clock.pending).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
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
