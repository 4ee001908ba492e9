import { expect, it } from "vitest";
import { LOAD_BOUNDS, loadLimits } from "../../src/kernel/http/admission.js";

it("the bounds of a simulator's load default to those of the table", () => {
  const own = Object.fromEntries(Object.entries(LOAD_BOUNDS).map(([name, { limit }]) => [name, limit]));
  expect(loadLimits()).toEqual(own);
  expect(loadLimits({ calls: 7 })).toEqual({ ...own, calls: 7 });
  const given = Object.fromEntries(Object.keys(own).map((name, index) => [name, index + 1]));
  expect(loadLimits(given)).toEqual(given);
});

it("the bounds of a simulator's load limit bodies to a share of the memory by default", () => {
  const [memory, share] = [2 ** 26, 2 ** 21];
  expect(loadLimits({}, memory)).toMatchObject({ bodyBytes: share, controlBodyBytes: share });
  expect(loadLimits({ bodyBytes: 5 }, memory)).toMatchObject({ bodyBytes: 5 });
});
