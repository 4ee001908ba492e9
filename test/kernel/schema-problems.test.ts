import { expect, it } from "vitest";
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
const keys = (keywords: object): Schema => open({ propertyNames: { type: "string", ...keywords } });
/** An object with these texts, and perhaps others. */
const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, string()])));
const textsAtLeast = (...names: string[]): Schema => ({ ...texts(...names), additionalProperties: true });

const status = oneOf(["waiting", "replied", "resolved"]);
const duration = anyOf([string({ format: "duration" }), integer({ minimum: 0 })]);

it.each<[value: unknown, schema: Schema, ...problems: string[]]>([
  ["b", literal("a"), 'must be "a", but is "b"'],
  [5, { type: "string", const: "a" }, 'must be "a", but is 5'],
  [1.5, { type: ["integer", "string"] }, "must be an integer or a string, but is a number"],
  ["closed", status, 'must be one of waiting, replied, resolved, but is "closed"'],
  ["closed", nullable(status), 'must be one of waiting, replied, resolved or null, but is "closed"'],
  [true, duration, 'must be a duration (such as "90s" or "24h") or an integer, but is a boolean'],
  ["x", integer(), "must be an integer, but is a string"],
  [-1, integer({ minimum: 0 }), "must be at least 0, but is -1"],
  [10, integer({ maximum: 9 }), "must be at most 9, but is 10"],
  [1, integer({ exclusiveMinimum: 1 }), "must be greater than 1, but is 1"],
  [1, integer({ exclusiveMaximum: 1 }), "must be less than 1, but is 1"],
  ["", string({ minLength: 1 }), "must not be empty"],
  ["x", string({ minLength: 2 }), "must have at least 2 characters"],
  ["xy", string({ maxLength: 1 }), "must have at most 1 character"],
  [[], array(string(), { minItems: 1 }), "must not be empty"],
  [["a"], array(string(), { minItems: 2 }), "must have at least 2 items"],
  [["a", "b"], array(string(), { maxItems: 1 }), "must have at most 1 item"],
  [{ a: [1, 2, 1] }, object({ a: array(integer(), { uniqueItems: true }) }), "a[2]: is the same as a[0]"],
  [{}, open({ minProperties: 1 }), "must not be empty"],
  [{ a: 1 }, open({ minProperties: 2 }), "must have at least 2 fields"],
  [{ a: 1, b: 2 }, open({ maxProperties: 1 }), "must have at most 1 field"],
  [[1], { type: "array", unevaluatedItems: false }, "must NOT have more than 0 items"],
  [{}, object({ on: withDefault(string(), "x") })],
  [{}, object({ on: oneOf(["request", "delivery"]) }), "on: is missing: it must be request or delivery"],
  [{ ab: "", abc: "" }, texts("ab"), 'abc: unknown field "abc": it must be ab'],
  [{ "x y": 1 }, texts(), '["x y"]: unknown field "x y": there is none'],
  [{ prot: 1 }, keys({ enum: ["port", "host"] }), 'prot: unknown field "prot": did you mean "port"?'],
  [{ "b c": 1 }, keys({ pattern: "^a" }), '["b c"]: must match ^a, but is "b c"'],
  [{ b: 1 }, keys({ pattern: "^a", "x-form": "a name with a" }), 'b: must be a name with a, but is "b"'],
  [{ "1": 2 }, record(string()), '["1"]: must be a string, but is a number'],
])("%j does not fit %j", (value, schema, ...problems) => {
  expect(told(schema, value)).toEqual(problems);
});

const reply = anyOf([string(), object({ contains: optional(string()) })]);
const step = anyOf([
  object({ customer: string(), thread: optional(string()) }),
  object({ advance: duration }),
  object({ reply }),
]);
const kinds = anyOf([
  object({ kind: oneOf(["a", "b"]), n: integer() }),
  object({ kind: oneOf(["c"]), s: string(), t: string() }),
]);
const keyed = open({
  propertyNames: { type: "string", pattern: "^a" },
  required: ["a"],
  properties: { a: {} },
});
const mail = { type: "string", minLength: 5, anyOf: [{ format: "email" }, { format: "url" }] };
const tagged = anyOf([object({ a: object({ kind: literal("a") }) }), texts("b", "c")]);
const sized = anyOf([oneOf(["2xx"]), array(integer(), { minItems: 1, maxItems: 2 })]);

it.each<[what: string, schema: Schema, value: unknown, ...problems: string[]]>([
  ["an object that is none of the objects", step, {}, "must have customer, advance or reply"],
  ["no object at all", step, 1, "must be an object, but is a number"],
  ["a text or an object", step, { reply: 5 }, "reply: must be a string or an object, but is a number"],
  [
    "several forms",
    { oneOf: [integer(), { type: "number" }] },
    1,
    "matches more than one of the allowed forms",
  ],
  [
    "a wrong type and no field",
    anyOf([texts("a"), texts("a", "b")]),
    { a: 1 },
    "a: must be a string, but is a number",
  ],
  ["fields of several forms", anyOf([texts("a", "b"), texts("c"), string()]), {}, "c: is missing"],
  ["several fields of one form", anyOf([texts("a", "b"), string()]), {}, "a: is missing", "b: is missing"],
  [
    "the form of a value",
    kinds,
    { kind: "c", later: 1, never: 2 },
    "s: is missing",
    "t: is missing",
    'later: unknown field "later": it must be kind, s or t',
    'never: unknown field "never": it must be kind, s or t',
  ],
  ["a constant far down", tagged, { a: { kind: "b" } }, 'a.kind: must be "a", but is "b"'],
  ["a list that is too short among forms", sized, [], "must not be empty"],
  [
    "wrong fields rather than others",
    anyOf([texts("a", "b"), texts("c")]),
    { a: 1, b: null },
    "a: must be a string, but is a number",
    "b: must be a string, but is null",
  ],
  [
    "a choice that repeats itself below",
    anyOf([string(), object({ a: anyOf([integer(), object({ b: integer() })]) })]),
    { a: { b: "x" } },
    "a.b: must be an integer, but is a string",
  ],
  ["a key of a form", anyOf([string(), keyed]), { b: 1 }, "a: is missing", 'b: must match ^a, but is "b"'],
  [
    "a missing field rather than an unknown one",
    anyOf([textsAtLeast("a"), object({ b: optional(string()) })]),
    { z: 1 },
    "a: is missing",
  ],
  [
    "missing fields rather than a missing and an unknown one",
    anyOf([textsAtLeast("a", "b"), texts("c")]),
    { z: 1 },
    "a: is missing",
    "b: is missing",
  ],
  [
    "fields that are missing below, in the first form",
    anyOf([object({ x: texts("a") }), object({ x: texts("b") })]),
    { x: {} },
    "x.a: is missing",
  ],
  [
    "fields that are missing below rather than one that is missing above",
    anyOf([textsAtLeast("c"), object({ x: texts("a", "b") })]),
    { x: {} },
    "x.a: is missing",
    "x.b: is missing",
  ],
  [
    "a text with a fault of its own beside a choice",
    mail,
    "xy",
    'must be an e-mail address or an http or https URL, but is "xy"',
    "must have at least 5 characters",
  ],
  [
    "a value that is none of a few beside a choice",
    { enum: [1, 2], anyOf: [string(), { type: "null" }] },
    3,
    "must be one of 1, 2, but is 3",
    "must be one of 1, 2, but is a number",
  ],
])("of a choice: %s", (_, schema, value, ...problems) => {
  expect(told(schema, value)).toEqual(problems);
});

it.each([null, undefined, []])("no errors are no problems: %j", (errors) => {
  expect(schemaProblems(errors)).toEqual([]);
});

it("a problem of a key is marked as such", () => {
  const validate = createAjv().compile(object({ a: integer() }));
  validate({ a: "x", b: 1 });
  expect(schemaProblems(validate.errors, {}, ["top"])).toEqual([
    { path: "top.b", message: expect.any(String), onKey: true },
    { path: "top.a", message: expect.any(String) },
  ]);
});
