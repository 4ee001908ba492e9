import { describe, expect, it } from "vitest";
import { alternativesOf, alternativesText } from "../../src/behaviour/alternatives.js";
import { ANSWERS } from "../../src/behaviour/answers.js";
import { BehaviourChecker } from "../../src/behaviour/check.js";
import { POLICIES } from "../../src/behaviour/policies/index.js";
import type { BehaviourKey } from "../../src/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import type { Schema } from "../../src/kernel/schema.js";

const DURATION = 'a duration such as "90s" or "24h", or milliseconds';

/** What policies whose values are not a few could be instead. */
const OPEN: Partial<Record<BehaviourKey, string>> = {
  "tokens.lifetime": DURATION,
  "permissions.required": expect.stringMatching(
    /^an object with any of the keys getCustomerProfile, .*, graphql, each value a string$/,
  ),
  "threadStatus.transitions":
    'an object with any of the keys waiting, replied, resolved, each value an array, each item "waiting", "replied" or "resolved"',
  "customers.unknownType": "a string",
  "templates.channels": "an array, each item a string",
  "window.channels": "an array, each item a string",
  "window.duration": DURATION,
  "webhooks.graphqlEvents": 'an array, each item "messages" or "transfers"',
  "delivery.autoDisable": "an integer from 1 to 1000000",
  "delivery.attempts": "an integer from 1 to 100",
  "delivery.backoff": `an array, each item ${DURATION}`,
  "delivery.timeoutMs": "an integer from 1 to 600000",
  "delivery.success": "an array, each item an integer from 100 to 599",
  "delivery.signature": 'an object with scheme ("standard-webhooks"), secrets (an array, each item a string)',
  "limits.textLength": "an integer from 1 to 1000000000",
  "limits.webhooks": "an integer from 0 to 1000000000",
  "limits.bodyBytes": "an integer from 1 to 104857600",
  "limits.rate": `an object with requests (an integer from 1 to 1000000000), per (${DURATION})`,
  "cors.origins": "an array, each item a string",
};

describe("the alternatives of an entry", () => {
  it.each(Object.keys(POLICIES) as (keyof typeof POLICIES)[])("are given for %s", (key) => {
    const { default: preset } = BEHAVIOUR_TABLE[key];
    const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
    if (key in OPEN) return expect(alternatives).toEqual(OPEN[key]);
    expect(alternatives).not.toContain(preset);
    const values = alternatives as unknown[];
    expect(values.length).toBeGreaterThan(0);
    const checker = new BehaviourChecker();
    for (const value of values) expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
  });

  it("are any other answer where it is an answer", () => {
    for (const key of Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])
      expect(alternativesOf(BEHAVIOUR_TABLE[key])).toBe(
        "an answer of another status (200 to 599) or with any other JSON body",
      );
  });

  it("are all values but the default, where a schema takes a few", () => {
    const of = (schema: Schema, preset: unknown) => alternativesOf({ schema, default: preset });
    expect(of({ enum: ["a", "b", null] }, "b")).toEqual(["a", null]);
    expect(of({ const: 5 }, null)).toEqual([5]);
    expect(of({ anyOf: [{ const: 0 }, { type: "null" }, { enum: ["x", "y"] }] }, 0)).toEqual([
      null,
      "x",
      "y",
    ]);
    expect(of({ anyOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, { const: 3 }] }, 3)).toEqual([1, 2]);
  });

  it("are said in words where a schema takes more, without the branch of the default", () => {
    const of = (schema: Schema, preset: unknown) => alternativesOf({ schema, default: preset });
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
