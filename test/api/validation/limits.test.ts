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
  [{ pattern: "^a" }, ["ab", 5, null, ["b"]], "b", 'match [/^a/], but is equal to "b"'],
  [{ format: "e164" }, ["+15551234567", 5, null], "5", 'match [e164], but is equal to "5"'],
  [{ type: "integer", enum: [1, 2] }, [1, 2], 3, 'be equal to ["1" or "2"], but is equal to "3"'],
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
