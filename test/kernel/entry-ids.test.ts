import { expect, it } from "vitest";
import { numberOf } from "../../src/kernel/entry-ids.js";

it.each([
  ["r1", 1],
  ["d1204", 1204],
  [null, 0],
  [undefined, 0],
])("the number of the entry %s is %i", (id, number) => {
  expect(numberOf(id)).toBe(number);
});
