import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ring } from "../../src/kernel/ring.js";

describe("a ring", () => {
  it("keeps the newest entries, and their positions in the whole sequence", () => {
    const action = fc.oneof(
      { weight: 20, arbitrary: fc.constant("push" as const) },
      { weight: 3, arbitrary: fc.constant("shift" as const) },
      { weight: 3, arbitrary: fc.constant("replace" as const) },
      { weight: 1, arbitrary: fc.constant("clear" as const) },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.array(action, { maxLength: 80 }),
        fc.nat(80),
        (limit, actions, from) => {
          const ring = new Ring<number>(limit);
          let kept: number[] = [];
          let total = 0;
          for (const step of actions) {
            if (step === "clear") {
              ring.clear();
              kept = [];
              continue;
            }
            if (step === "shift") {
              expect(ring.shift()).toBe(kept.shift());
              continue;
            }
            if (step === "replace") {
              // A negative number stands for the entry of its position, in its place.
              const index = Math.floor(kept.length / 2);
              if (kept.length === 0) continue;
              kept[index] = -(total - kept.length + index) - 1;
              ring.replace(total - kept.length + index, kept[index]);
              continue;
            }
            const evicted = kept.length === limit ? kept.shift() : undefined;
            kept.push(total);
            expect(ring.push(total)).toBe(evicted);
            total += 1;
          }
          expect(ring.total).toBe(total);
          expect(ring.length).toBe(kept.length);
          expect(ring.first).toBe(total - kept.length);
          expect([...ring.from()]).toEqual(kept);
          const first = total - kept.length;
          expect([...ring.from(from)]).toEqual(kept.slice(Math.max(0, from - first)));
          for (let position = 0; position < total; position += 1)
            expect(ring.at(position)).toBe(kept[position - first]);
          expect(ring.at(total)).toBeUndefined();
          expect(ring.at(Number.NaN)).toBeUndefined();
        },
      ),
    );
  });

  it("gives the entries that are there when it is asked, and none for a place that holds none", () => {
    const ring = new Ring<string>(4);
    for (const item of ["a", "b", undefined, "c", "d"]) ring.push(item);
    expect([...ring.from()]).toEqual(["b", "c", "d"]);
    const later = ring.from(3);
    expect(later.next().value).toBe("c");
    ring.push("e");
    expect([...later]).toEqual(["d"]);
    expect([ring.total, ring.length, ring.at(2)]).toEqual([6, 4, undefined]);
  });

  it("goes on where another one has been", () => {
    const ring = new Ring<string>(2);
    ring.push("gone");
    ring.skipTo(7);
    expect([ring.total, ring.first, ring.length, [...ring.from()]]).toEqual([7, 7, 0, []]);
    for (const item of ["a", "b", "c"]) ring.push(item);
    expect([ring.total, ring.first, [...ring.from()], ring.at(9)]).toEqual([10, 8, ["b", "c"], "c"]);
  });
});
