import { expect, it } from "vitest";
import { LOAD_BOUNDS, loadLimits } from "../../src/kernel/http/admission.js";

it("the bounds of a simulator's load are those of the table", () => {
  const own = Object.fromEntries(Object.entries(LOAD_BOUNDS).map(([name, { limit }]) => [name, limit]));
  expect(loadLimits()).toEqual(own);
});
