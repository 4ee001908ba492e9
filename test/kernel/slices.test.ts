import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { eachInSlices, sortInSlices } from "../../src/kernel/slices.js";

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
  it("visits every item once, in order", async () => {
    const seen: number[] = [];
    await eachInSlices(
      Array.from({ length: 1000 }, (_, index) => index),
      (item) => seen.push(item),
    );
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it("lets others run in between", async () => {
    const items = Array.from({ length: 640 }, () => 0.25);
    // 160 ms of work in slices of 8 ms.
    expect(await turnsDuring(eachInSlices(items, busy))).toBeGreaterThan(10);
  });

  it("ends when nobody wants the result any more", async () => {
    const controller = new AbortController();
    let visited = 0;
    function* endless() {
      for (;;) yield visited++;
    }
    const work = eachInSlices(endless(), () => {}, controller.signal);
    await nextTurn();
    controller.abort();
    await expect(work).rejects.toThrow("This operation was aborted");
    expect(visited).toBeGreaterThan(0);
  });

  it("takes short slices while others are at work too", async () => {
    const items = () => Array.from({ length: 2000 }, () => 0.05);
    const works = Array.from({ length: 10 }, () => eachInSlices(items(), busy));
    // Ten times 100 ms of work: in slices of 8 ms each, 125 in all, there would be 13 turns.
    expect(await turnsDuring(Promise.all(works))).toBeGreaterThan(25);
  });

  it("passes on what a visit throws", async () => {
    const fails = eachInSlices([1], () => {
      throw new Error("no");
    });
    await expect(fails).rejects.toThrow("no");
  });
});

describe("sorting in slices", () => {
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
});
