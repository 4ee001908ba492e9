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

const pet = object({
  name: string(),
  kind: oneOf(["cat", "dog"]),
  age: nullable(integer()),
  vaccinated: withDefault(boolean(), false),
  owner: optional(string()),
  alive: literal(true),
  tags: array(anyOf([string(), literal(0)])),
  notes: record(string()),
});

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

it("a schema has the types of its values, after and before defaults", () => {
  expectTypeOf<Infer<typeof pet>>().toEqualTypeOf<Pet>();
  type Input = Omit<Pet, "vaccinated"> & { vaccinated?: boolean };
  expectTypeOf<InferInput<typeof pet>>().branded.toEqualTypeOf<Input>();
});

describe("a builder", () => {
  const a = { type: "string", enum: ["a"] };
  const several = { type: ["string", "integer"] };
  const closed = { type: "object", additionalProperties: false };
  it.each<[string, Schema, object]>([
    ["nothing", nothing({ title: "none" }), { type: "null", title: "none" }],
    ["literal", literal(1, { title: "one" }), { const: 1, title: "one" }],
    ["nullable", nullable(string(), { title: "A" }), { type: ["string", "null"], title: "A" }],
    ["nullable of values", nullable(oneOf(["a"])), { anyOf: [a, { type: "null" }] }],
    ["nullable of several types", nullable(several), { anyOf: [several, { type: "null" }] }],
    ["object", object({}), { ...closed, properties: {} }],
    ["object of optional fields", object(partial({ a: oneOf(["a"]) })), { ...closed, properties: { a } }],
  ])("%s returns plain JSON Schema", (_, schema, expected) => {
    expect(schema).toStrictEqual(expected);
  });

  it("requires fields that are neither optional nor have a default, and changes no given schema", () => {
    const text = string();
    const schema = object({ a: optional(text), b: withDefault(boolean(), true), c: text, d: nullable(text) });
    expect(schema.required).toEqual(["c", "d"]);
    expect(schema.properties?.b).toStrictEqual({ type: "boolean", default: true });
    expect(text).toStrictEqual({ type: "string" });
  });
});

describe("a published schema", () => {
  it("keeps properties whose names look like keywords", () => {
    const odd = object({ $schema: string(), "x-id": string(), format: string(), title: string() });
    const names = Object.keys(published(odd, new Components()).properties ?? {});
    expect(names).toEqual(["$schema", "x-id", "format", "title"]);
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

  it("has its dialect first in a file", () => {
    const $schema = "https://dialect.example";
    const schema = string({ "x-id": true, title: "t", $schema });
    expect(Object.entries(publishedFile(schema))).toEqual([
      ["$schema", $schema],
      ["type", "string"],
      ["title", "t"],
    ]);
    expect(published(schema)).toStrictEqual({ type: "string", title: "t" });
  });

  it("is plain JSON Schema unchanged", () => {
    for (const schema of [oneOf(["a", "b"], { description: "a or b" }), integer({ minimum: 1 })])
      expect(published(schema, new Components())).toStrictEqual(schema);
  });
});

describe("a part of a schema", () => {
  const part = string({ format: "duration", "x-ref": "threads" });
  const DURATION = { type: "string", pattern: patternOf("duration") };

  it.each<[string, Schema, Schema]>([
    ["a property", object({ part }), { properties: { part: DURATION } }],
    ["values of a record", record(part), { additionalProperties: DURATION }],
    ["items", array(part), { items: DURATION }],
    ["a branch", { anyOf: [part, { type: "null" }] }, { anyOf: [DURATION, { type: "null" }] }],
    ["a named part", { $defs: { part, format: part } }, { $defs: { part: DURATION, format: DURATION } }],
    ["by a pattern", { patternProperties: { "^x-": part } }, { patternProperties: { "^x-": DURATION } }],
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
  const born = object({ born: optional(string({ format: "date-time" })) }, { title: "pet" });

  it("is written once, and may be repeated if it is the same", () => {
    const components = new Components();
    const $ref = "#/components/schemas/Pet";
    expect([published(born, components), published({ ...born }, components)]).toEqual([{ $ref }, { $ref }]);
    expect(components.schemas).toEqual({ Pet: published(born) });
    expect(() => published({ ...born, minProperties: 1 }, components)).toThrow("two schemas are titled pet");
  });

  it("is inlined if components are not collected", () => {
    expect(published(array(born))).toEqual({ type: "array", items: born });
  });

  it("keeps branches of a schema without properties", () => {
    const choice = { anyOf: [{ type: "string" }, { type: "null" }] };
    expect(published(choice, new Components())).toStrictEqual(choice);
  });
});
