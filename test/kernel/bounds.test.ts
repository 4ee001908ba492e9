import { expect, it } from "vitest";
import { LOAD_BOUNDS, loadLimits } from "../../src/kernel/http/admission.js";

it("the bounds of a simulator's load are those of the table", () => {
  const own = Object.fromEntries(Object.entries(LOAD_BOUNDS).map(([name, { limit }]) => [name, limit]));
  expect(loadLimits(Number.POSITIVE_INFINITY)).toEqual(own);
});

it("the bounds of a simulator's load limit bodies to a share of the memory", () => {
  const [memory, share] = [2 ** 26, 2 ** 21];
  expect(loadLimits(memory)).toMatchObject({ bodyBytes: share, controlBodyBytes: share });
});
