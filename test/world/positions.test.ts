import fc from "fast-check";
import { expect, test } from "vitest";
import { positionsOf } from "../../src/service/world/positions.js";

const NEAR = ["0", "1", "01", "1.0", " 1", "1e0", "-1", "", "x", "999999999999999", "1000000000000000"];

const listOf = (ids: readonly unknown[]): unknown[] => ids.map((id) => ({ id }));

/** Where each id stands first, as a plain map. */
function modelOf(ids: readonly unknown[]): Map<string, number> {
  const model = new Map<string, number>();
  for (const [index, id] of ids.entries())
    if ((typeof id === "string" || typeof id === "number") && !model.has(String(id)))
      model.set(String(id), index);
  return model;
}

function expectSame(ids: readonly unknown[]): void {
  const positions = positionsOf(listOf(ids));
  const model = modelOf(ids);
  expect(positions.size).toBe(model.size);
  for (const id of [...model.keys(), ...NEAR]) {
    expect(positions.get(id)).toBe(model.get(id));
    expect(positions.has(id)).toBe(model.has(id));
  }
}

test("ids that ascend stand where they stand, with gaps and without", () => {
  const ascending = fc
    .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 999_999_999_999_999 })))
    .map((numbers) => numbers.sort((a, b) => a - b).map(String));
  fc.assert(fc.property(ascending, expectSame));
});

test("so do ids in any order and of any form, and the first of those that come twice", () => {
  const id = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }).map(String));
  fc.assert(fc.property(fc.array(fc.oneof(id, fc.constantFrom(...NEAR, null, {}))), expectSame));
});

test("what is no record, or has no id, stands nowhere", () => {
  const positions = positionsOf([{ id: "1" }, null, "x", {}, [], { id: "2" }]);
  expect([positions.size, positions.get("1"), positions.get("2")]).toEqual([2, 0, 5]);
});
