/** Values at, just within and just beyond what a keyword allows, and values that it says nothing of. */
import { expect, it } from "vitest";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import type { Schema } from "../../../src/kernel/schema.js";

const told = (schema: Schema, value: unknown): string[] =>
  new RequestValidator()
    .check(schema, value, { unknownFields: "reject", numbersAsIds: false })
    .problems.map(({ message }) => message);

it.each<[keywords: Schema, right: unknown[], wrong: unknown, text: string]>([
  [{ minLength: 2 }, ["ab", "abc", 1, true, null, {}], "a", "be longer than 2 elements, but it has 1"],
  [{ maxLength: 2 }, ["ab", "", 9, true, null, {}], "abc", "be shorter than 2 elements, but it has 3"],
  [{ minItems: 1 }, [[1], [1, 2], 1, null, {}], [], "be longer than 1 elements, but it has 0"],
  [{ maxItems: 1 }, [[1], [], 9, null, {}], [1, 2], "be shorter than 1 elements, but it has 2"],
  [{ minimum: 5 }, [5, 6, "1", [1], null], 4, 'be greater than or equal to 5, but is equal to "4"'],
  [{ maximum: 5 }, [5, 4, "9", [9], null], 6, 'be less than or equal to 5, but is equal to "6"'],
  [{ exclusiveMinimum: 5 }, [5.5, "1", [1]], 5, 'be greater than 5, but is equal to "5"'],
  [{ exclusiveMaximum: 5 }, [4.5, "9", [9]], 5, 'be less than 5, but is equal to "5"'],
  [{ pattern: "^a" }, ["ab", 5, null, ["b"]], "b", 'match [/^a/], but is equal to "b"'],
  [{ format: "e164" }, ["+15551234567", 5, null], "5", 'match [e164], but is equal to "5"'],
  [{ type: "integer", enum: [1, 2] }, [1, 2], 3, 'be equal to ["1" or "2"], but is equal to "3"'],
  [{ type: "boolean", const: false }, [false], true, 'be equal to "false", but is equal to "true"'],
])("%j", (keywords, right, wrong, text) => {
  expect(right.map((value) => told(keywords, value))).toEqual(right.map(() => []));
  expect(told(keywords, wrong)).toEqual([`must ${text}`]);
});

it.each([
  ["string", "a"],
  ["number", 1.5],
  ["integer", 2],
  ["boolean", false],
  ["null", null],
  ["object", {}],
  ["array", []],
])("the type %s takes its own values and no others", (type, own) => {
  const named = { type };
  expect(told(named, own)).toEqual([]);
  for (const value of ["a", 1.5, false, null, {}, []]) {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    const refusal = kind === type ? [] : [`must be ${type}, but is ${kind}`];
    expect(told(named, value)).toEqual(refusal);
  }
  expect(told({}, own)).toEqual([]);
});

it("an item that occurs again is said of lists, and of the characters of a text", () => {
  const unique = { type: ["array", "string"], items: { type: "string" }, uniqueItems: true };
  expect(told(unique, ["a", "b"])).toEqual([]);
  expect(told(unique, "aba")).toEqual(["has value [a] more than once at indexes [0, 2]"]);
  expect(told({ uniqueItems: true, items: { type: "string" } }, { length: "2" })).toEqual([]);
  expect(told({ items: { type: "string" } }, ["a", "a"])).toEqual([]);
});
