/** The types that schemas stand for, and the schemas that are published. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Infer, InferInput } from "../../src/kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  optional,
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

describe("a published schema", () => {
  it("has none of our own keywords", () => {
    expect(published(pet).properties?.name).toEqual({ type: "string" });
  });

  it("refers to its titled parts, each written once", () => {
    const components: Record<string, unknown> = {};
    const pets = object({ first: pet, others: array(pet), title: string() });
    expect(published(pets, components)).toMatchObject({
      properties: {
        first: { $ref: "#/components/schemas/APet" },
        others: { type: "array", items: { $ref: "#/components/schemas/APet" } },
        title: { type: "string" },
      },
    });
    expect(Object.keys(components)).toEqual(["APet"]);
  });
});
