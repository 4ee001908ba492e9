/** What the dialect can express, and that what it cannot is refused when a schema is first used. */
import { describe, expect, it } from "vitest";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import type { Schema } from "../../../src/kernel/schema.js";
import { array, integer, nothing, object, record, string } from "../../../src/kernel/schema.js";

const told = (schema: Schema, value: unknown): string[] =>
  new RequestValidator()
    .check(schema, value, { unknownFields: "reject", numbersAsIds: true })
    .problems.map(({ message, property }) => `${property} ${message}`);

const keysOf = (...branches: Schema[]): Schema => ({ type: "object", anyOf: branches });

describe("a schema", () => {
  it.each<[string, Schema, unknown, string[]]>([
    [
      "with words for readers",
      string({ title: "t", description: "d", default: "", example: "e", examples: [], deprecated: true }),
      1,
      ["@ must be string, but is number"],
    ],
    ["with words of its own", string({ "x-form": "f" }), "x", []],
    ["of values and null", { enum: ["a", null] }, null, []],
    [
      "of values and null, met by neither",
      { enum: ["a", null] },
      5,
      ["@ must be string or null, but is number", '@ must be equal to ["a"], but is equal to "5"'],
    ],
    [
      "of properties, and of any others",
      object({ a: string() }, { additionalProperties: integer() }),
      { a: "x", b: "y" },
      ["@.b must be integer, but is string"],
    ],
    ["of single characters", string({ pattern: "^.$" }), "😀", []],
    ["of one key", keysOf({ required: ["a"] }), { b: 1 }, ['@ must have at least key "a"']],
    ["of a type or null, in two branches", { anyOf: [integer(), nothing()] }, null, []],
    ["of a value or null", { anyOf: [{ enum: ["a"] }, nothing()] }, null, []],
    ["of some keys, all there", keysOf({ required: ["a"] }, { required: ["b"] }), { a: 1, b: 1 }, []],
  ])("%s is understood", (_, schema, value, problems) => {
    expect(told(schema, value)).toEqual(problems);
  });

  it.each<[keyword: string, place: string, schema: Schema]>([
    ["multipleOf", "@.*", record(integer({ multipleOf: 2 }))],
    ["multipleOf", "@.a[].b", object({ a: array(object({ b: integer({ multipleOf: 2 }) })) })],
    ["minimum", "@.a", object({ a: integer({ minimum: 1 }) })],
    ["uniqueItems", "@[]", array(array(string(), { uniqueItems: true }))],
    ["const", "@", { const: 1 }],
  ])("that uses %s at %s beyond the dialect's words is refused", (keyword, place, schema) => {
    expect(() => told(schema, {})).toThrow(
      new Error(`the validation dialect cannot express "${keyword}" as the schema uses it at ${place}`),
    );
  });

  it("of an unknown format is refused", () => {
    expect(() => told(string({ format: "iban" }), "")).toThrow(
      new Error("the validation dialect does not know the format iban"),
    );
  });
});

it("a copy with numbers turned into ids is a plain object", () => {
  const id = string({ "x-id": true });
  const schema = object({ id, ids: array(id) });
  const { value } = new RequestValidator().check(
    schema,
    { id: 7, ids: [8, 9] },
    { unknownFields: "reject", numbersAsIds: true },
  );
  const text = { id: "7", ids: ["8", "9"] };
  const { ids } = value as typeof text;
  const { id: own, ids: list } = Object.getOwnPropertyDescriptors(text);
  expect(Object.getOwnPropertyDescriptors(value)).toEqual({ id: own, ids: { ...list, value: ids } });
  expect(Object.getOwnPropertyDescriptors(ids)).toEqual(Object.getOwnPropertyDescriptors(text.ids));
});
