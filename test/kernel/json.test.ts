import { describe, expect, it } from "vitest";
import { isObject, valueAt } from "../../src/kernel/json.js";

describe("isObject", () => {
  it.each([{}, { a: 1 }, Object.create(null)])("is true of %j", (value) => {
    expect(isObject(value)).toBe(true);
  });

  it.each([null, undefined, [], "text", 1, true, () => {}])("is false of %j", (value) => {
    expect(isObject(value)).toBe(false);
  });
});

describe("valueAt", () => {
  const value = { a: [{ b: "text" }, null], "c.d": 0 };

  it.each([
    [[], value],
    [["a", 0, "b"], "text"],
    [["a", "0", "b"], "text"],
    [["a", 1], null],
    [["c.d"], 0],
  ])("finds what stands at %j", (path, part) => {
    expect(valueAt(value, path)).toBe(part);
  });

  it.each([
    [["x"]],
    [["a", 2]],
    [["a", 1, "b"]],
    [["a", 0, "b", "length"]],
    [["constructor"]],
    [["__proto__", "toString"]],
  ])("finds nothing at %j", (path) => {
    expect(valueAt(value, path)).toBeUndefined();
  });
});
