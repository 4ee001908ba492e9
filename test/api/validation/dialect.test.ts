import fc from "fast-check";
import { expect, it } from "vitest";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import { array, object, optional, string } from "../../../src/kernel/schema.js";
import { type BehaviourValues, PROFILES, STRICT } from "../../../src/service/behaviour/table.js";
import { oraclesProblems, schemaPairs } from "./schema-pairs.js";

const LENIENT: BehaviourValues = { ...PROFILES.documented, "widget.emailFormat": "schema-inspector" };
const REJECTING: BehaviourValues = { ...LENIENT, ...STRICT };
const validator = new RequestValidator();

/** A schema, stated twice, with bodies for it: making a schema takes longer than checking many bodies. */
const casesOf = (count: number) =>
  schemaPairs.chain(({ schema, oracle, values }) =>
    fc
      .array(values, { minLength: count, maxLength: count })
      .map((bodies) => ({ schema, oracle, bodies: JSON.parse(JSON.stringify(bodies)) as unknown[] })),
  );

it("reports the same problems in the same order as schema-inspector, for 5,000 bodies", () => {
  fc.assert(
    fc.property(casesOf(40), ({ schema, oracle, bodies }) => {
      const before = structuredClone(bodies);
      const problems = bodies.map((body) => validator.check(schema, body, REJECTING).problems);
      expect(problems).toEqual(bodies.map((body) => oraclesProblems(oracle, body)));
      expect(bodies).toEqual(before);
    }),
    { numRuns: 125 },
  );
});

const KINDS =
  /^(is missing|should not contains|must (have (at|only)|match|be (equal|longer|shorter|array|boolean|integer|number|object|string)))/;

it("generates right and wrong values, and every kind of problem", () => {
  const texts = fc
    .sample(casesOf(10), { numRuns: 300, seed: 1 })
    .flatMap(({ oracle, bodies }) => bodies.map((body) => oraclesProblems(oracle, body)));
  const right = texts.filter((problems) => problems.length === 0).length / texts.length;
  expect(right).toBeGreaterThan(0.05);
  expect(right).toBeLessThan(0.5);
  expect(new Set(texts.flat().map(({ message }) => KINDS.exec(message)![0])).size).toBe(14);
});

it("answers for any JSON, and leaves the value alone", () => {
  const id = string({ "x-id": true });
  const note = object({ id: optional(id), list: optional(array(id)) });
  const schema = object({ id, note, list: array(note) }, { oneOf: [{ required: ["note"] }] });
  const key = fc.constantFrom("id", "note", "list", "__proto__", "toString");
  const leaf = fc.oneof(fc.nat(9), fc.jsonValue({ maxDepth: 1 }));
  const inner = fc.oneof(leaf, fc.dictionary(key, leaf));
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(inner, fc.array(inner))), fc.boolean(), (body, strict) => {
      const text = JSON.stringify(body);
      const { problems, passed } = validator.check(schema, body, strict ? REJECTING : LENIENT);
      expect(problems.filter(({ property }) => !property.startsWith("@"))).toEqual([]);
      expect(strict ? passed : []).toEqual([]);
      expect(JSON.stringify(body)).toBe(text);
    }),
    { numRuns: 500 },
  );
});
