import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { atOnce, eachInSlices, inSlices, Slices, sortInSlices } from "../../src/kernel/slices.js";

/** Counts the turns that the event loop makes until `work` is over. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) {
    await nextTurn();
    turns += 1;
  }
  await done;
  return turns;
}

/** Takes about as long as its share of a second says. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("work in slices", () => {
  it("is done at once where it takes no longer than a slice", async () => {
    const seen: number[] = [];
    const visits = eachInSlices([1, 2, 3], (item) => seen.push(item));
    function* steps() {
      for (const step of [4, 5, 6]) yield void seen.push(step);
    }
    const work = inSlices(steps());
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    await Promise.all([visits, work]);
  });

  it("lets others run in between", async () => {
    const items = Array.from({ length: 640 }, () => 0.25);
    // 160 ms of work in slices of 8 ms.
    expect(await turnsDuring(eachInSlices(items, busy))).toBeGreaterThan(10);
  });

  it("ends when nobody wants the result any more", async () => {
    const controller = new AbortController();
    let visited = 0;
    function* many() {
      while (visited < 5_000_000) yield visited++;
    }
    const work = eachInSlices(many(), () => {}, controller.signal);
    await nextTurn();
    controller.abort();
    await expect(work).rejects.toThrow("This operation was aborted");
    expect(visited).toBeGreaterThan(0);
    expect(visited).toBeLessThan(5_000_000);
  });

  it("passes on what a visit throws", async () => {
    const fails = eachInSlices([1], () => {
      throw new Error("no");
    });
    await expect(fails).rejects.toThrow("no");
  });
});

describe("the length of a slice", () => {
  /** How much time each slice of 500 items took, where an item takes `itemMs` and every turn of the loop `turnMs`. */
  async function slicesOf(itemMs: number, turnMs: number): Promise<number[]> {
    let time = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
    try {
      const slices = new Slices();
      const lengths: number[] = [];
      let began = time;
      for (let item = 0; item < 500; item += 1) {
        time += itemMs;
        const pause = slices.next();
        if (pause === undefined) continue;
        lengths.push(time - began);
        time += turnMs;
        await pause;
        began = time;
      }
      return lengths;
    } finally {
      clock.mockRestore();
    }
  }

  it("is no slice where all of the work is shorter", async () => {
    expect(await slicesOf(0.015, 0)).toEqual([]);
  });

  it.each([
    [0.25, 0, 8],
    [0.25, 8, 8],
    // Others took longer than a slice in between: they are at work too, so the next slices are short, 4 items at least.
    [0.125, 8.5, 0.5],
    [1, 0, 8],
    [5, 0, 20],
  ])("of items of %d ms with %d ms in between settles at %d ms", async (itemMs, turnMs, sliceMs) => {
    const [, ...lengths] = await slicesOf(itemMs, turnMs);
    expect(lengths.length).toBeGreaterThan(5);
    for (const length of lengths) expect(length).toBe(sliceMs);
  });
});

describe("work that yields where it may be interrupted", () => {
  function* work(steps: number, stepMs: number): Generator<void, string> {
    for (let step = 0; step < steps; step += 1) {
      busy(stepMs);
      yield;
    }
    return `${steps} steps`;
  }

  it("is done at once, with its result", async () => {
    let turns = 0;
    const turn = nextTurn().then(() => {
      turns += 1;
    });
    expect([atOnce(work(0, 0)), atOnce(work(100, 0.2))]).toEqual(["0 steps", "100 steps"]);
    expect(turns).toBe(0);
    await turn;
  });
});

describe("sorting in slices", () => {
  it("ends when nobody wants the result any more", async () => {
    const compare = vi.fn((a: number, b: number) => a - b);
    const items = Array.from({ length: 5_000 }, (_, index) => -index);
    await expect(sortInSlices(items, compare, AbortSignal.abort())).rejects.toThrow("aborted");
    // Without items there is nothing to break off.
    expect(await sortInSlices([], compare, AbortSignal.abort())).toEqual([]);
    const comparisons = compare.mock.calls.length;
    await sortInSlices(items, compare, new AbortController().signal);
    expect(compare.mock.calls.length).toBeGreaterThan(3 * comparisons);
  });

  it("sorts as Array.sort does, equal items in their order", async () => {
    const items = fc.array(fc.tuple(fc.nat(50), fc.nat()), { maxLength: 5000, size: "max" });
    const compare = ([a]: readonly number[], [b]: readonly number[]) => (a ?? 0) - (b ?? 0);
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const before = [...given];
        expect(await sortInSlices(given, compare)).toEqual([...given].sort(compare));
        expect(given).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });

  it("lets others run in between", async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 20_011);
    expect(await turnsDuring(sortInSlices(items, (a, b) => a - b))).toBeGreaterThan(15);
  });

  it("lets others run while sorted parts are put together", async () => {
    let time = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
    try {
      const items = Array.from({ length: 4_096 }, (_, index) => -index);
      const turns = await turnsDuring(
        sortInSlices(items, (a, b) => {
          time += 0.25;
          return a - b;
        }),
      );
      // Two rounds of 2,048 comparisons at least, 32 in each slice, beside the four parts.
      expect(turns).toBeGreaterThan(100);
    } finally {
      clock.mockRestore();
    }
  });
});
