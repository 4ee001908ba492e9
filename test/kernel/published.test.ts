/** Schemas as every reader gets them: what is written anew, what is kept and what is referred to. */
import { describe, expect, it } from "vitest";
import { patternOf } from "../../src/kernel/formats.js";
import type { Schema } from "../../src/kernel/schema.js";
import {
  array,
  Components,
  integer,
  object,
  oneOf,
  optional,
  published,
  publishedFile,
  record,
  string,
} from "../../src/kernel/schema.js";

const DURATION = { type: "string", pattern: patternOf("duration") };

it("a schema file names its dialect first, and is else what every reader gets", () => {
  const schema = object({ a: string({ "x-id": true }) }, { title: "t", $schema: "https://dialect.example" });
  expect(JSON.stringify(publishedFile(schema))).toBe(
    '{"$schema":"https://dialect.example","type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false,"title":"t"}',
  );
  const { $schema, ...rest } = publishedFile(schema);
  expect(published(schema)).toStrictEqual(rest);
});

describe("a part of a schema", () => {
  const part = string({ format: "duration", "x-ref": "threads" });

  it.each<[string, Schema, Schema]>([
    ["a property", object({ part }), { properties: { part: DURATION } }],
    ["values of a record", record(part), { additionalProperties: DURATION }],
    ["items", array(part), { items: DURATION }],
    ["a branch", { anyOf: [part, { type: "null" }] }, { anyOf: [DURATION, { type: "null" }] }],
    ["a named part", { $defs: { part, format: part } }, { $defs: { part: DURATION, format: DURATION } }],
    [
      "a property named by a pattern",
      { patternProperties: { "^x-": part } },
      { patternProperties: { "^x-": DURATION } },
    ],
    ["names", { propertyNames: part }, { propertyNames: DURATION }],
    ["far down", array(array(object({ a: part }))), { items: { items: { properties: { a: DURATION } } } }],
  ])("is published like the whole: %s", (_, schema, expected) => {
    expect(published(schema)).toMatchObject(expected);
    expect(published(schema, new Components())).toMatchObject(expected);
    expect(JSON.stringify(published(schema))).not.toContain("x-ref");
  });

  it.each(["default", "const", "enum", "example", "examples", "required"])(
    "is a value, which nothing is taken from: %s",
    (keyword) => {
      const values = [{ "x-a": 1, format: "duration", title: "t", $schema: "s" }];
      expect(published({ [keyword]: values }, new Components())).toStrictEqual({ [keyword]: values });
    },
  );
});

describe("a component", () => {
  const pet = object({ name: string(), born: optional(string({ format: "date-time" })) }, { title: "pet" });

  it("is written once, and may be given again as long as it says the same", () => {
    const components = new Components();
    const $ref = "#/components/schemas/Pet";
    expect([published(pet, components), published({ ...pet }, components)]).toEqual([{ $ref }, { $ref }]);
    expect(components.schemas).toEqual({ Pet: published(pet) });
    expect(() => published({ ...pet, minProperties: 1 }, components)).toThrow("two schemas are titled pet");
  });

  it("is what it is without any, where nobody collects them", () => {
    expect(published(array(pet))).toEqual({ type: "array", items: published(pet) });
    expect(published(pet)).toMatchObject({ title: "pet", properties: { name: { type: "string" } } });
  });

  it.each(["anyOf", "oneOf"])("has in each branch of %s the fields that the branch requires", (keyword) => {
    const fields = { a: optional(string({ "x-id": true })), b: optional(integer()) };
    const branches = [{ required: ["a", "c"] }, { required: ["b"], minProperties: 2 }, {}];
    const { [keyword]: typed, ...rest } = published(
      object(fields, { [keyword]: branches }),
      new Components(),
    );
    expect(typed).toMatchObject([
      { type: "object", properties: { a: { type: "string" }, c: {} }, required: ["a", "c"] },
      { type: "object", properties: { b: { type: "integer" } }, required: ["b"], minProperties: 2 },
      { type: "object", properties: {}, required: [] },
    ]);
    expect(Object.keys(rest)).toEqual(["type", "properties", "additionalProperties"]);
  });

  it("keeps branches of something that has no fields as they are", () => {
    const choice = { anyOf: [{ type: "string" }, { type: "null" }] };
    expect(published(choice, new Components())).toStrictEqual(choice);
  });
});

it("a schema of JSON Schema alone is published as it is", () => {
  for (const schema of [oneOf(["a", "b"], { description: "a or b" }), integer({ minimum: 1 })]) {
    expect(schema).toMatchObject({ type: expect.any(String) });
    expect(published(schema, new Components())).toStrictEqual(schema);
  }
});
