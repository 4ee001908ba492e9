import { describe, expect, it } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import type { Schema } from "../../src/kernel/schema.js";
import {
  anyOf,
  array,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  withDefault,
} from "../../src/kernel/schema.js";
import { createAjv, schemaProblems } from "../../src/kernel/schema-problems.js";

function told(schema: Schema, value: unknown): string[] {
  const validate = createAjv().compile(schema);
  validate(value);
  return schemaProblems(validate.errors, value).map(formatProblem);
}

const open = (keywords: object): Schema => ({ type: "object", ...keywords });

const status = oneOf(["waiting", "replied", "resolved"]);
const duration = anyOf([string({ format: "duration" }), integer({ minimum: 0 })]);
const step = anyOf([
  object({ customer: string(), thread: optional(string()) }),
  object({ advance: duration }),
  object({ reply: anyOf([string(), object({ contains: optional(string()) })]) }),
]);

/** A value that a schema refuses, and the problems. */
const ROWS: [string, Schema, unknown, string[]][] = [
  ["another constant", literal("a"), "b", ['must be "a", but is "b"']],
  ["a constant of another type", { type: "string", const: "a" }, 5, ['must be "a", but is 5']],
  [
    "a fraction where two types may stand",
    { type: ["integer", "string"] },
    1.5,
    ["must be an integer or a string, but is a number"],
  ],
  [
    "a value that is none of a few",
    status,
    "closed",
    ['must be one of waiting, replied, resolved, but is "closed"'],
  ],
  ["a field that is not asked for: it has a default", object({ on: withDefault(string(), "x") }), {}, []],
  [
    "a field that is nearest to one that is there",
    object({ ab: string() }),
    { ab: "", abc: "" },
    ['abc: unknown field "abc": it must be ab'],
  ],
  ["a field like no other", object({}), { "x y": 1 }, ['["x y"]: unknown field "x y": there is none']],
  ["an empty text", string({ minLength: 1 }), "", ["must not be empty"]],
  ["a small number", integer({ minimum: 0 }), -1, ["must be at least 0, but is -1"]],
  ["a large number", integer({ maximum: 9 }), 10, ["must be at most 9, but is 10"]],
  ["a digit that is a key", record(string()), { "1": 2 }, ['["1"]: must be a string, but is a number']],
  [
    "a key that is not allowed",
    open({ propertyNames: { enum: ["port", "host"] } }),
    { prot: 1 },
    ['prot: unknown field "prot": did you mean "port"?'],
  ],
  [
    "one of two scalars",
    duration,
    true,
    ['must be a duration (such as "90s" or "24h") or an integer, but is a boolean'],
  ],
  [
    "a value or null",
    nullable(status),
    "closed",
    ['must be one of waiting, replied, resolved or null, but is "closed"'],
  ],
  ["a text or an object", step, { reply: 5 }, ["reply: must be a string or an object, but is a number"]],
  ["none of the objects", step, {}, ["must have customer, advance or reply"]],
  ["no object at all", step, 1, ["must be an object, but is a number"]],
  ["a text for an integer", integer(), "x", ["must be an integer, but is a string"]],
  ["a short text", string({ minLength: 2 }), "x", ["must have at least 2 characters"]],
  ["a long text", string({ maxLength: 1 }), "xy", ["must have at most 1 character"]],
  ["a bound that is not reached", integer({ exclusiveMinimum: 1 }), 1, ["must be greater than 1, but is 1"]],
  ["a bound that is reached", integer({ exclusiveMaximum: 1 }), 1, ["must be less than 1, but is 1"]],
  ["an empty list", array(string(), { minItems: 1 }), [], ["must not be empty"]],
  ["a short list", array(string(), { minItems: 2 }), ["a"], ["must have at least 2 items"]],
  ["a long list", array(string(), { maxItems: 1 }), ["a", "b"], ["must have at most 1 item"]],
  ["an empty object", open({ minProperties: 1 }), {}, ["must not be empty"]],
  ["a small object", open({ minProperties: 2 }), { a: 1 }, ["must have at least 2 fields"]],
  ["a large object", open({ maxProperties: 1 }), { a: 1, b: 2 }, ["must have at most 1 field"]],
  [
    "a keyword that has no words",
    { type: "array", unevaluatedItems: false },
    [1],
    ["must NOT have more than 0 items"],
  ],
  [
    "a key of another form",
    open({ propertyNames: { type: "string", pattern: "^a" } }),
    { "b c": 1 },
    ['["b c"]: must match ^a, but is "b c"'],
  ],
  [
    "a key in other words",
    open({ propertyNames: { type: "string", pattern: "^a", "x-form": "a name with a" } }),
    { b: 1 },
    ['b: must be a name with a, but is "b"'],
  ],
  [
    "a value twice, at a depth",
    object({ a: array(integer(), { uniqueItems: true }) }),
    { a: [1, 2, 1] },
    ["a[2]: is the same as a[0]"],
  ],
  [
    "one of several, and more of them",
    { oneOf: [{ type: "integer" }, { type: "number" }] },
    1,
    ["matches more than one of the allowed forms"],
  ],
  [
    "a wrong type and no field",
    anyOf([object({ a: string() }), object({ a: string(), b: string() })]),
    { a: 1 },
    ["a: must be a string, but is a number"],
  ],
  [
    "fields of several forms",
    anyOf([object({ a: string(), b: string() }), object({ c: string() }), string()]),
    {},
    ["c: is missing"],
  ],
  [
    "a missing choice",
    open({ properties: { on: { enum: ["request", "delivery"] } }, required: ["on"] }),
    {},
    ["on: is missing: it must be request or delivery"],
  ],
  [
    "several fields of one form",
    anyOf([object({ a: string(), b: string() }), string()]),
    {},
    ["a: is missing", "b: is missing"],
  ],
  [
    "the form of a value",
    anyOf([
      object({ kind: oneOf(["a", "b"]), n: integer() }),
      object({ kind: oneOf(["c"]), s: string(), t: string() }),
    ]),
    { kind: "c", later: 1, never: 2 },
    [
      "s: is missing",
      "t: is missing",
      'later: unknown field "later": it must be kind, s or t',
      'never: unknown field "never": it must be kind, s or t',
    ],
  ],
  [
    "a constant far down",
    anyOf([object({ a: object({ kind: literal("a") }) }), object({ b: integer(), c: integer() })]),
    { a: { kind: "b" } },
    ['a.kind: must be "a", but is "b"'],
  ],
  [
    "a list that is too short among forms",
    anyOf([oneOf(["2xx"]), array(integer(), { minItems: 1, maxItems: 2 })]),
    [],
    ["must not be empty"],
  ],
  [
    "wrong fields rather than others",
    anyOf([object({ a: integer(), b: integer() }), object({ c: integer() })]),
    { a: "x", b: "y" },
    ["a: must be an integer, but is a string", "b: must be an integer, but is a string"],
  ],
  [
    "a choice that repeats itself below",
    anyOf([string(), object({ a: anyOf([integer(), object({ b: integer() })]) })]),
    { a: { b: "x" } },
    ["a.b: must be an integer, but is a string"],
  ],
  [
    "a key of a form",
    anyOf([
      string(),
      open({ propertyNames: { type: "string", pattern: "^a" }, required: ["a"], properties: { a: {} } }),
    ]),
    { b: 1 },
    ["a: is missing", 'b: must match ^a, but is "b"'],
  ],
  [
    "a missing field rather than an unknown one",
    anyOf([object({ a: string() }, { additionalProperties: true }), object({ b: optional(string()) })]),
    { z: 1 },
    ["a: is missing"],
  ],
  [
    "missing fields rather than a missing and an unknown one",
    anyOf([object({ a: string(), b: string() }, { additionalProperties: true }), object({ c: string() })]),
    { z: 1 },
    ["a: is missing", "b: is missing"],
  ],
  [
    "fields that are missing below, in the first form",
    anyOf([object({ x: object({ a: string() }) }), object({ x: object({ b: string() }) })]),
    { x: {} },
    ["x.a: is missing"],
  ],
  [
    "fields that are missing below rather than one that is missing above",
    anyOf([
      object({ c: string() }, { additionalProperties: true }),
      object({ x: object({ a: string(), b: string() }) }),
    ]),
    { x: {} },
    ["x.a: is missing", "x.b: is missing"],
  ],
  [
    "a text that has a fault of its own beside a choice",
    { type: "string", minLength: 5, anyOf: [{ format: "email" }, { format: "url" }] },
    "xy",
    ['must be an e-mail address or an http or https URL, but is "xy"', "must have at least 5 characters"],
  ],
  [
    "a value that is none of a few beside a choice",
    { enum: [1, 2], anyOf: [{ type: "string" }, { type: "null" }] },
    3,
    ["must be one of 1, 2, but is 3", "must be one of 1, 2, but is a number"],
  ],
];
it.each(ROWS)("%s", (_, schema, value, expected) => {
  expect(told(schema, value)).toEqual(expected);
});

describe("no errors", () => {
  it.each([null, undefined, []])("are no problems: %j", (errors) => {
    expect(schemaProblems(errors)).toEqual([]);
  });
});

it("a problem of a key is marked as such", () => {
  const validate = createAjv().compile(object({ a: integer() }));
  validate({ a: "x", b: 1 });
  expect(schemaProblems(validate.errors, {}, ["top"])).toEqual([
    { path: "top.b", message: expect.any(String), onKey: true },
    { path: "top.a", message: expect.any(String) },
  ]);
});
