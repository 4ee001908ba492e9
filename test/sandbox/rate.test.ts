import fc from "fast-check";
import { expect, it } from "vitest";
import { RateWindows } from "../../src/sandbox/rates.js";

it("rate windows start again if the clock is set back", () => {
  const windows = new RateWindows();
  const take = (now: number) => windows.take("a", now, { requests: 2, per: 1_000 });
  expect([take(5_000), take(5_000), take(5_000)]).toEqual([0, 0, 1_000]);
  expect([take(100), take(100), take(100)]).toEqual([0, 0, 1_000]);
});

it("rate windows never allow more calls within a window than the limit, and always some after it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 500 }),
      (gaps, requests, per) => {
        const windows = new RateWindows();
        let now = 0;
        let start = Number.NEGATIVE_INFINITY;
        let calls = 0;
        for (const gap of gaps) {
          now += gap;
          if (now >= start + per) [start, calls] = [now, 0];
          calls += 1;
          const expected = calls <= requests ? 0 : start + per - now;
          expect(windows.take("a", now, { requests, per })).toBe(expected);
        }
      },
    ),
  );
});
