/** The types that schemas stand for, and the schemas that are published. */
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
  published,
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

/** What a caller may write. */
type PetInput = Omit<Pet, "vaccinated"> & { vaccinated?: boolean };

describe("a schema", () => {
  it("stands for the type of its values, after defaults and before", () => {
    expectTypeOf<Infer<typeof pet>>().toEqualTypeOf<Pet>();
    expectTypeOf<InferInput<typeof pet>>().branded.toEqualTypeOf<PetInput>();
  });

  it("requires what is neither optional nor has a default, and refuses unknown keys", () => {
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
  ])("%s makes plain JSON Schema", (_, schema, expected) => {
    expect(schema).toStrictEqual(expected);
  });

  it("makes properties each of which may be left out", () => {
    expect(object(partial({ a: string(), b: literal(1) }))).toStrictEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { const: 1 } },
      additionalProperties: false,
    });
  });

  it("leaves the schema that it was given as it is", () => {
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
