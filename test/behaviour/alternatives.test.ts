import { expect, it } from "vitest";
import type { Schema } from "../../src/kernel/schema.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";

const of = (schema: Schema, preset: unknown) => alternativesOf({ schema, default: preset });

it("the alternatives of an entry are all values except the default, if there are few", () => {
  expect(of({ enum: ["a", "b", null] }, "b")).toEqual(["a", null]);
  expect(of({ const: 5 }, null)).toEqual([5]);
  const nested = { anyOf: [{ const: 0 }, { type: "null" }, { anyOf: [{ enum: ["x", "y"] }] }] };
  expect(of(nested, 0)).toEqual([null, "x", "y"]);
});

it("an entry with many values has no list of alternatives", () => {
  const many = { type: "integer", minimum: 1, maximum: 9 };
  for (const schema of [many, { anyOf: [{ const: "all" }, many] }, { type: "object" }, { type: "boolean" }])
    expect(of(schema, 1)).toBeUndefined();
});
