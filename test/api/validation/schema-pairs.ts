/**
 * Random schemas, each stated twice: with the project's builder and for schema-inspector, the oracle of the dialect;
 * and random values near them.
 */
import { createRequire } from "node:module";
import fc from "fast-check";
import * as build from "../../../src/kernel/schema.js";
import { FORMATS } from "../../../src/kernel/schema.js";

type Oracle = Record<string, unknown>;

const inspector: {
  validate(schema: object, value: unknown): { error: { message: string; property: string }[] };
} = createRequire(import.meta.url)("schema-inspector");
export const oraclesProblems = (oracle: object, value: unknown) =>
  inspector.validate(oracle, value).error.map(({ message, property }) => ({ message, property }));

export interface SchemaPair {
  readonly schema: build.Schema;
  readonly oracle: Oracle;
  /** Values that are often right and often wrong. */
  readonly values: fc.Arbitrary<unknown>;
}

// Characters outside the basic plane are left out: schema-inspector counts UTF-16 units, JSON Schema counts characters.
const text = fc.oneof(fc.string({ unit: "grapheme-ascii", maxLength: 5 }), fc.constantFrom("", "abab", "é"));
const amount = fc.oneof(fc.integer({ min: -3, max: 8 }), fc.constantFrom(0.5, -0, 2.5, 1e21, 5e-7));
const scalar = fc.oneof(text, amount, fc.boolean(), fc.constant(null));
// Names of the object prototype are left out as keys: schema-inspector takes what an object inherits for its own.
const KEYS = ["a", "b", "email", "$x_1", "odd key", 'quo"te', "0", "length", "é"] as const;
const key = fc.constantFrom(...KEYS);
// "*" is left out as a key: schema-inspector has no way to tell it from its own wildcard.
const noiseList = fc.array(fc.oneof(scalar, fc.constant({}), fc.constant([])), { maxLength: 3 });
const noise = fc.oneof(scalar, noiseList, fc.dictionary(key, scalar, { maxKeys: 3 }));
const near = (right: fc.Arbitrary<unknown>, wrong: fc.Arbitrary<unknown> = noise): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: right, weight: 5 }, { arbitrary: wrong, weight: 2 });

/** How a format of ours prints, and how it decides, inside schema-inspector. */
const named = (name: string): RegExp => {
  const rule = FORMATS[name]?.test;
  const test = rule instanceof RegExp ? (text: string) => rule.test(text) : rule;
  return Object.assign(/ /, { test, toString: () => name });
};

const TEXT_RULES: readonly { keywords: Oracle; oracle: Oracle; right: string[] }[] = [
  { keywords: {}, oracle: {}, right: ["x"] },
  { keywords: { format: "email" }, oracle: { pattern: "email" }, right: ["a@b.example", "a@b", "x"] },
  { keywords: { format: "e164" }, oracle: { pattern: named("e164") }, right: ["+15551234567", "+0"] },
  { keywords: { format: "url" }, oracle: { pattern: named("url") }, right: ["https://bot/", "http://"] },
  { keywords: { pattern: "^[1-9][0-9]*$" }, oracle: { pattern: /^[1-9][0-9]*$/ }, right: ["10", "0"] },
  { keywords: { pattern: "/a|b\\d" }, oracle: { pattern: /\/a|b\d/ }, right: ["/a", "b1"] },
];

const limits = fc
  .record({ minLength: fc.nat(3), maxLength: fc.integer({ min: 1, max: 4 }) }, { requiredKeys: [] })
  .map((limits) => ({ ...limits }) as Oracle);

const strings: fc.Arbitrary<SchemaPair> = fc
  .tuple(fc.constantFrom(...TEXT_RULES), limits)
  .map(([rule, limits]) => ({
    schema: build.string({ ...rule.keywords, ...limits }),
    oracle: { type: "string", ...rule.oracle, ...limits },
    values: near(fc.oneof(fc.constantFrom(...rule.right), text)),
  }));

const numbers: fc.Arbitrary<SchemaPair> = fc
  .constantFrom("number", "integer")
  .map((type) => ({ schema: { type }, oracle: { type }, values: near(amount) }));

const values = fc.uniqueArray(fc.constantFrom("waiting", "replied", "", "5"), { minLength: 1, maxLength: 3 });
const choices: fc.Arbitrary<SchemaPair> = values.map((allowed) => ({
  schema: build.oneOf(allowed),
  oracle: { type: "string", eq: allowed },
  values: near(fc.constantFrom(...allowed)),
}));

const booleans = fc.constant<SchemaPair>({
  schema: build.boolean(),
  oracle: { type: "boolean" },
  values: near(fc.boolean()),
});

const arrayOf = (item: fc.Arbitrary<SchemaPair>): fc.Arbitrary<SchemaPair> =>
  item.map((item) => ({
    schema: build.array(item.schema),
    oracle: { type: "array", items: item.oracle },
    values: near(
      fc.array(item.values, { maxLength: 4 }),
      fc.oneof(noise, fc.dictionary(key, item.values, { maxKeys: 3 })),
    ),
  }));

interface Shape {
  readonly fields: readonly (readonly [string, { pair: SchemaPair; optional: boolean }])[];
  readonly open: boolean;
  /** Whether exactly one of the fields must be there, beside what each of them says of itself. */
  readonly onlyOne: boolean;
}

/** schema-inspector's own hook for further rules states "at most one of these keys". */
const onlyOneOf = (keys: readonly string[]) =>
  function (this: { report: (message: string) => void }, _schema: unknown, candidate: unknown): void {
    if (typeof candidate !== "object" || candidate === null || Array.isArray(candidate)) return;
    if (keys.filter((key) => key in candidate).length > 1)
      this.report(`must have only one of keys ${keys.map((key) => `"${key}"`).join(" or ")}`);
  };

function objectPair({ fields, open, onlyOne }: Shape): SchemaPair {
  const keys = fields.map(([key]) => key);
  /** One value of each field, by key. */
  const byKey = <T>(of: (field: Shape["fields"][number][1]) => T): Record<string, T> =>
    Object.fromEntries(fields.map(([key, field]) => [key, of(field)]));
  const schema = build.object(
    byKey(({ pair, optional }) => (optional ? build.optional(pair.schema) : pair.schema)),
    {
      ...(open ? { additionalProperties: true } : {}),
      ...(onlyOne ? { oneOf: keys.map((key) => ({ required: [key] })) } : {}),
    },
  );
  const oracle = {
    type: "object",
    ...(open ? {} : { strict: true }),
    ...(onlyOne ? { someKeys: keys, exec: onlyOneOf(keys) } : {}),
    properties: byKey(({ pair, optional }) => ({ ...pair.oracle, optional })),
  };
  const values = byKey(({ pair }) => pair.values);
  const [full, known] = [fc.record(values), fc.record(values, { requiredKeys: [] })];
  const more = fc.dictionary(key, scalar, { maxKeys: 2 });
  const body = fc.oneof(
    full,
    known,
    fc.tuple(more, full).map(([more, full]) => ({ ...more, ...full })),
  );
  return { schema, oracle, values: near(body.map((fields) => ({ ...fields }))) };
}

const objectOf = (pair: fc.Arbitrary<SchemaPair>): fc.Arbitrary<SchemaPair> => {
  const field = fc.tuple(key, fc.record({ pair, optional: fc.boolean() }));
  const fields = fc.uniqueArray(field, { selector: ([name]) => name, minLength: 1, maxLength: 4 });
  return fc.record({ fields, open: fc.boolean(), onlyOne: fc.boolean() }).map(objectPair);
};

const leaves = fc.oneof(strings, numbers, choices, booleans);
const nested = fc.oneof(leaves, arrayOf(leaves), objectOf(leaves));
const deep = fc.oneof(nested, arrayOf(nested));

/** Schemas of request bodies: mostly objects, up to five levels deep. */
export const schemaPairs: fc.Arbitrary<SchemaPair> = fc.oneof(
  { arbitrary: objectOf(deep), weight: 4 },
  { arbitrary: deep, weight: 1 },
);
