import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { OPERATION_IDS } from "../../src/behaviour/operation-ids.js";

it("names every operation, in the order of the table, for matches", () => {
  expect(OPERATIONS.map(({ id }) => id)).toEqual(OPERATION_IDS);
});
