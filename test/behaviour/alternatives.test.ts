import { describe, expect, it } from "vitest";
import type { Schema } from "../../src/kernel/schema.js";
import { alternativesOf, alternativesText } from "../../src/service/behaviour/alternatives.js";
import { BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";

const of = (schema: Schema, preset: unknown) => alternativesOf({ schema, default: preset });

describe("the alternatives of an entry", () => {
  it("are all values except the default, if there are few", () => {
    expect(of({ enum: ["a", "b", null] }, "b")).toEqual(["a", null]);
    expect(of({ const: 5 }, null)).toEqual([5]);
    const nested = { anyOf: [{ const: 0 }, { type: "null" }, { anyOf: [{ enum: ["x", "y"] }] }] };
    expect(of(nested, 0)).toEqual([null, "x", "y"]);
  });

  it("are described in words if there are many, without the branch of the default", () => {
    const many = { type: "integer", minimum: 1, maximum: 9 };
    const range = "an integer from 1 to 9";
    expect(of(many, 1)).toBe(range);
    expect(of({ anyOf: [{ const: "all" }, many] }, "all")).toBe(range);
    expect(of({ anyOf: [{ enum: ["a", "b"] }, many] }, "a")).toBe(`"a" or "b" or ${range}`);
    expect(of({ type: "object", propertyNames: { enum: ["a", "b"] } }, {})).toBe(
      "an object with any of the keys a, b, each value anything",
    );
    expect(of({ type: "object", propertyNames: {} }, {})).toBe("an object, each value anything");
    expect(of({ type: "object", additionalProperties: many }, {})).toBe(`an object, each value ${range}`);
    expect(of({ anyOf: [{ const: "all" }, many] }, 5)).toBe(`"all" or ${range}`);
    expect(of({ anyOf: [{ type: "null" }, many, { type: "string" }] }, null)).toBe(`${range} or a string`);
    expect(of({ ...many, type: ["integer", "null"] }, null)).toBe(range);
    expect(of({ ...many, type: ["integer", "null"] }, 5)).toBe(`${range} or null`);
    expect(of({ type: "string", format: "email" }, "")).toBe("email");
    expect(of({ type: "boolean" }, false)).toBe("boolean");
    expect(of({ type: "array", items: { enum: ["a", "b"] } }, [])).toBe('an array, each item "a" or "b"');
  });

  it("are one phrase in descriptions", () => {
    expect(alternativesText(["a", null, 5])).toBe('"a", null or 5');
    expect(alternativesText(alternativesOf(BEHAVIOUR_TABLE["webhooks.insecureUrls"]))).toBe(
      '"reject" or "allow"',
    );
    expect(alternativesText("an integer")).toBe("an integer");
  });
});
