import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { propertyText, type Segment } from "../../../src/api/validation/rules.js";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import { array, nullable, object, oneOf, optional, string } from "../../../src/kernel/schema.js";
import { schemaPairs } from "./schema-pairs.js";

interface Inspector {
  validate(schema: object, value: unknown): { error: { message: string; property: string }[] };
}
const inspector = createRequire(import.meta.url)("schema-inspector") as Inspector;

const STRICT = { unknownFields: "reject", numbersAsIds: false, emailFormat: "schema-inspector" } as const;
const LENIENT = { unknownFields: "ignore", numbersAsIds: true, emailFormat: "schema-inspector" } as const;
const validator = new RequestValidator();
const oraclesProblems = (oracle: object, value: unknown) =>
  inspector.validate(oracle, value).error.map(({ message, property }) => ({ message, property }));

/** A schema, stated twice, with bodies for it: making a schema takes longer than checking many bodies. */
const casesOf = (count: number) =>
  schemaPairs.chain(({ schema, oracle, values }) =>
    fc
      .array(values, { minLength: count, maxLength: count })
      .map((bodies) => ({ schema, oracle, bodies: JSON.parse(JSON.stringify(bodies)) as unknown[] })),
  );
const cases = casesOf(10);

type Paths = readonly (readonly Segment[])[];

/** The value without the fields at these properties; a field may be named as one, or as an item. */
function without(value: unknown, properties: readonly string[], paths: Paths = [[]]): unknown {
  const below = (...segments: readonly Segment[]): Paths =>
    paths.flatMap((path) => segments.map((segment) => [...path, segment]));
  if (Array.isArray(value)) return value.map((item, index) => without(item, properties, below(index)));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => !below(key).some((path) => properties.includes(propertyText(path))),
  );
  return Object.fromEntries(
    kept.map(([key, child]) => [key, without(child, properties, below(key, { item: key }))]),
  );
}

describe("beside schema-inspector", () => {
  it("reports the same problems in the same order, for 5,000 bodies", () => {
    fc.assert(
      fc.property(casesOf(40), ({ schema, oracle, bodies }) => {
        const before = structuredClone(bodies);
        const problems = bodies.map((body) => validator.check(schema, body, STRICT).problems);
        expect(problems).toEqual(bodies.map((body) => oraclesProblems(oracle, body)));
        expect(bodies).toEqual(before);
      }),
      { numRuns: 125 },
    );
  }, 60_000);

  it("generates right and wrong values, and every kind of problem", () => {
    const texts = fc
      .sample(cases, { numRuns: 300, seed: 1 })
      .flatMap(({ oracle, bodies }) => bodies.map((body) => oraclesProblems(oracle, body)));
    expect(texts.length).toBe(3000);
    const right = texts.filter((problems) => problems.length === 0).length / texts.length;
    expect(right).toBeGreaterThan(0.05);
    expect(right).toBeLessThan(0.5);
    const kinds = new Set(
      texts
        .flat()
        .map(({ message }) => /^(is|has|should|must( \w+)( \w+)?( than)?( or equal)?)/.exec(message)?.[0]),
    );
    expect([...kinds].sort()).toMatchInlineSnapshot(`
      [
        "is",
        "must be array",
        "must be boolean",
        "must be equal",
        "must be integer",
        "must be longer than",
        "must be null",
        "must be number",
        "must be object",
        "must be shorter than",
        "must be string",
        "must have at",
        "must have only",
        "must match",
        "should",
      ]
    `);
  });
});

describe("for any schema and any value near it", () => {
  it("lets through only what is right once the unknown fields are gone", () => {
    fc.assert(
      fc.property(cases, ({ schema, bodies }) => {
        for (const body of bodies) {
          const lenient = validator.check(schema, body, LENIENT);
          const known = without(lenient.value, lenient.unknownFields);
          expect(validator.check(schema, known, STRICT).problems).toEqual(lenient.problems);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("for any JSON", () => {
  const anything = object(
    {
      id: string({ "x-id": true }),
      kinds: optional(array(oneOf(["a", "b"]))),
      list: optional(array(object({ name: string() }))),
      note: optional(nullable(object({ text: optional(string()) }))),
    },
    {
      oneOf: [{ required: ["kinds"] }, { required: ["list"] }],
    },
  );
  const json = fc.jsonValue({ maxDepth: 3 });
  const keys = fc.constantFrom(
    "id",
    "kinds",
    "list",
    "__proto__",
    "constructor",
    "toString",
    "valueOf",
    "note",
  );
  const bodies = fc
    .oneof(
      json,
      fc.array(fc.tuple(keys, json)).map((entries) => Object.fromEntries(entries)),
    )
    .map((value) => JSON.stringify(value));

  it("answers, and leaves the value alone", () => {
    fc.assert(
      fc.property(bodies, fc.boolean(), (body, strict) => {
        const value = JSON.parse(body) as unknown;
        const { problems, unknownFields } = validator.check(anything, value, strict ? STRICT : LENIENT);
        expect(problems.every(({ message, property }) => message !== "" && property.startsWith("@"))).toBe(
          true,
        );
        expect(strict ? unknownFields : []).toEqual([]);
        expect(JSON.stringify(value)).toBe(body);
      }),
      { numRuns: 2000 },
    );
  });
});
