/** Schemas: their types, and their published form. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Infer, InferInput, Schema } from "../../src/kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  Components,
  integer,
  literal,
  nothing,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  patternOf,
  published,
  publishedFile,
  record,
  string,
  withDefault,
} from "../../src/kernel/schema.js";

const pet = object(
  {
    name: string({ "x-form": "a name" }),
    kind: oneOf(["cat", "dog"]),
    age: nullable(integer()),
    vaccinated: withDefault(boolean(), false),
    owner: optional(string()),
    alive: literal(true),
    tags: array(anyOf([string(), literal(0)])),
    notes: record(string()),
  },
  { title: "a pet" },
);

interface Pet {
  name: string;
  kind: "cat" | "dog";
  age: number | null;
  alive: true;
  tags: (string | 0)[];
  notes: Record<string, string>;
  owner?: string;
  vaccinated: boolean;
}

/** The type of an input. */
type PetInput = Omit<Pet, "vaccinated"> & { vaccinated?: boolean };

describe("a schema", () => {
  it("has the types of its values, after and before defaults", () => {
    expectTypeOf<Infer<typeof pet>>().toEqualTypeOf<Pet>();
    expectTypeOf<InferInput<typeof pet>>().branded.toEqualTypeOf<PetInput>();
  });

  it("requires fields that are neither optional nor have a default, and refuses unknown ones", () => {
    expect(pet.required).toEqual(["name", "kind", "age", "alive", "tags", "notes"]);
    expect(pet.additionalProperties).toBe(false);
    expect(pet.properties?.alive).toEqual({ const: true });
    expect(pet.properties?.vaccinated).toEqual({ type: "boolean", default: false });
  });
});

describe("a builder", () => {
  it.each<[string, Schema, object]>([
    ["nothing", nothing({ title: "none" }), { type: "null", title: "none" }],
    ["literal", literal(1, { title: "one" }), { const: 1, title: "one" }],
    ["nullable", nullable(string(), { title: "A" }), { type: ["string", "null"], title: "A" }],
    [
      "nullable of values",
      nullable(oneOf(["a"])),
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
    ],
    [
      "nullable of several types",
      nullable({ type: ["string", "integer"] }),
      { anyOf: [{ type: ["string", "integer"] }, { type: "null" }] },
    ],
    ["object", object({}), { type: "object", properties: {}, additionalProperties: false }],
    [
      "object that is open",
      object({ a: optional(string()) }, { additionalProperties: true }),
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
    ],
  ])("%s returns plain JSON Schema", (_, schema, expected) => {
    expect(schema).toStrictEqual(expected);
  });

  it("makes all properties optional", () => {
    expect(object(partial({ a: string(), b: literal(1) }))).toStrictEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { const: 1 } },
      additionalProperties: false,
    });
  });

  it("does not change the given schema", () => {
    const text = string();
    const { required } = object({ a: optional(text), b: withDefault(text, "x"), c: text, d: nullable(text) });
    expect(required).toEqual(["c", "d"]);
    expect(text).toStrictEqual({ type: "string" });
  });
});

describe("a published schema", () => {
  it("keeps properties whose names look like keywords", () => {
    const odd = object({ $schema: string(), "x-id": string(), format: string(), title: string() });
    expect(Object.keys(published(odd, new Components()).properties ?? {})).toEqual([
      "$schema",
      "x-id",
      "format",
      "title",
    ]);
  });

  it.each([
    ["messaging-sim fixture", "MessagingSimFixture"],
    ["a - b", "AB"],
    ["Webhook record", "WebhookRecord"],
  ])("titled %j has the name %s", (title, name) => {
    const components = new Components();
    expect(published(string({ title }), components)).toEqual({ $ref: `#/components/schemas/${name}` });
    expect(components.schemas).toEqual({ [name]: { type: "string", title } });
  });
});

const DURATION = { type: "string", pattern: patternOf("duration") };

it("a schema file is the published schema with its dialect first", () => {
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
    "is kept if it is a value: %s",
    (keyword) => {
      const values = [{ "x-a": 1, format: "duration", title: "t", $schema: "s" }];
      expect(published({ [keyword]: values }, new Components())).toStrictEqual({ [keyword]: values });
    },
  );
});

describe("a component", () => {
  const pet = object({ name: string(), born: optional(string({ format: "date-time" })) }, { title: "pet" });

  it("is written once, and may be repeated if it is the same", () => {
    const components = new Components();
    const $ref = "#/components/schemas/Pet";
    expect([published(pet, components), published({ ...pet }, components)]).toEqual([{ $ref }, { $ref }]);
    expect(components.schemas).toEqual({ Pet: published(pet) });
    expect(() => published({ ...pet, minProperties: 1 }, components)).toThrow("two schemas are titled pet");
  });

  it("is inlined if components are not collected", () => {
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

  it("keeps branches of a schema without properties", () => {
    const choice = { anyOf: [{ type: "string" }, { type: "null" }] };
    expect(published(choice, new Components())).toStrictEqual(choice);
  });
});

it("plain JSON Schema is published unchanged", () => {
  for (const schema of [oneOf(["a", "b"], { description: "a or b" }), integer({ minimum: 1 })]) {
    expect(schema).toMatchObject({ type: expect.any(String) });
    expect(published(schema, new Components())).toStrictEqual(schema);
  }
});
