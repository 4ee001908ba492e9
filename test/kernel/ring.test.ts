import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ring } from "../../src/kernel/ring.js";

describe("a ring", () => {
  it("keeps the newest entries, and their positions in the whole sequence", () => {
    const action = fc.oneof(
      { weight: 20, arbitrary: fc.constant("push" as const) },
      { weight: 3, arbitrary: fc.constant("shift" as const) },
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
            const evicted = kept.length === limit ? kept.shift() : undefined;
            kept.push(total);
            expect(ring.push(total)).toBe(evicted);
            total += 1;
          }
          expect(ring.total).toBe(total);
          expect(ring.length).toBe(kept.length);
          expect(ring.first).toBe(total - kept.length);
          expect([...ring.from()]).toEqual(kept);
          expect([...ring.from(from)]).toEqual(kept.filter((position) => position >= from));
          for (let position = 0; position < total; position += 1) {
            expect(ring.at(position)).toBe(kept.includes(position) ? position : undefined);
          }
          expect(ring.at(total)).toBeUndefined();
          expect(ring.at(Number.NaN)).toBeUndefined();
        },
      ),
    );
  });
});
