import { expect, it } from "vitest";
import { fromKeys, isKeyOf, keysOf } from "../../src/kernel/keys.js";

const TABLE = { b: 1, a: 2 };

it("the keys of a table are its own, in their order", () => {
  expect(keysOf(TABLE)).toEqual(["b", "a"]);
  expect(["a", "b", "c", "toString", "__proto__"].filter((key) => isKeyOf(TABLE, key))).toEqual(["a", "b"]);
});

it("an object is made with one value for each key, in their order", () => {
  const made = fromKeys(["b", "a"], (key) => key.toUpperCase());
  expect(Object.entries(made)).toEqual([
    ["b", "B"],
    ["a", "A"],
  ]);
});
