import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, it } from "vitest";
import { propertyText, type Segment } from "../../../src/api/validation/rules.js";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import { array, nullable, object, optional, string } from "../../../src/kernel/schema.js";
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

it("reports the same problems in the same order as schema-inspector, for 5,000 bodies", () => {
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

const KINDS =
  /^(is missing|should not contains|must (have (at|only)|match|be (equal|longer|shorter|array|boolean|integer|null|number|object|string)))/;

it("generates right and wrong values, and every kind of problem", () => {
  const texts = fc
    .sample(cases, { numRuns: 300, seed: 1 })
    .flatMap(({ oracle, bodies }) => bodies.map((body) => oraclesProblems(oracle, body)));
  const right = texts.filter((problems) => problems.length === 0).length / texts.length;
  expect(right).toBeGreaterThan(0.05);
  expect(right).toBeLessThan(0.5);
  expect(new Set(texts.flat().map(({ message }) => KINDS.exec(message)![0])).size).toBe(15);
});

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

it("answers for any JSON, and leaves the value alone", () => {
  const id = string({ "x-id": true });
  const note = nullable(object({ id: optional(id), list: optional(array(id)) }));
  const schema = object({ id, note, list: array(note) }, { oneOf: [{ required: ["note"] }] });
  const key = fc.constantFrom("id", "note", "list", "__proto__", "toString");
  const leaf = fc.oneof(fc.nat(9), fc.jsonValue({ maxDepth: 1 }));
  const inner = fc.oneof(leaf, fc.dictionary(key, leaf));
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(inner, fc.array(inner))), fc.boolean(), (body, strict) => {
      const text = JSON.stringify(body);
      const { problems, unknownFields } = validator.check(schema, body, strict ? STRICT : LENIENT);
      expect(problems.filter(({ property }) => !property.startsWith("@"))).toEqual([]);
      expect(strict ? unknownFields : []).toEqual([]);
      expect(JSON.stringify(body)).toBe(text);
    }),
    { numRuns: 500 },
  );
});
