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
/** An object with these texts; of `atLeast`, it may have others. */
const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, string()])));
const atLeast = (...names: string[]): Schema => ({ ...texts(...names), additionalProperties: true });

const status = oneOf(["waiting", "replied", "resolved"]);
const mail = { type: "string", minLength: 5, anyOf: [{ format: "email" }, { format: "url" }] };
const MAIL = "an e-mail address or an http or https URL";
const few = { enum: [1, 2], anyOf: [string(), { type: "null" }] };
const duration = anyOf([string({ format: "duration" }), integer({ minimum: 0 })]);

it.each<[value: unknown, schema: Schema, ...problems: string[]]>([
  ["b", literal("a"), 'must be "a", but is "b"'],
  [5, { type: "string", const: "a" }, 'must be "a", but is 5'],
  [1.5, { type: ["integer", "string"] }, "must be an integer or a string, but is a number"],
  ["closed", status, 'must be one of waiting, replied, resolved, but is "closed"'],
  ["closed", nullable(status), 'must be one of waiting, replied, resolved or null, but is "closed"'],
  [
    true,
    duration,
    'must be a duration with its unit (such as "90s" or "24h", at most 365000d) or an integer, but is a boolean',
  ],
  ["x", integer(), "must be an integer, but is a string"],
  [1.5, integer(), "must be an integer, but is 1.5"],
  [5, status, "must be one of waiting, replied, resolved, but is 5"],
  [-1, integer({ minimum: 0 }), "must be at least 0, but is -1"],
  [10, integer({ maximum: 9 }), "must be at most 9, but is 10"],
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
  [{ prot: "" }, object({ port: optional(string()) }), 'prot: unknown field "prot": did you mean "port"?'],
  [{ "x y": 1 }, texts(), '["x y"]: unknown field "x y": there is none'],
  [{ prot: 1 }, keys({ enum: ["port", "host"] }), 'prot: unknown field "prot": did you mean "port"?'],
  [{ "b c": 1 }, keys({ pattern: "^a" }), '["b c"]: must match ^a, but is "b c"'],
  [{ b: 1 }, keys({ pattern: "^a", "x-form": "a name with a" }), 'b: must be a name with a, but is "b"'],
  ["xy", mail, `must be ${MAIL}, but is "xy"`, "must have at least 5 characters"],
  [3, few, "must be one of 1, 2, but is 3", "must be one of 1, 2, but is a number"],
  [{ "1": 2 }, record(string()), '["1"]: must be a string, but is a number'],
])("%j does not fit %j", (value, schema, ...problems) => {
  expect(told(schema, value)).toEqual(problems);
});

const withX = (...names: string[]) => object({ x: texts(...names) });
const steps = [
  object({ customer: string(), thread: optional(string()) }),
  object({ advance: duration }),
  object({ reply: anyOf([string(), object({ contains: optional(string()) })]) }),
];
const kinds = [
  object({ kind: oneOf(["a", "b"]), n: integer() }),
  object({ kind: oneOf(["c"]), s: string(), t: string() }),
];
const keyed = { ...keys({ pattern: "^a" }), required: ["a"], properties: { a: {} } };
const optionalB = object({ b: optional(string()) });
const inner = object({ a: anyOf([integer(), object({ b: integer() })]) });
const tagged = object({ a: object({ kind: literal("a") }) });
const sized = array(integer(), { minItems: 1, maxItems: 2 });
const unknown = (key: string) => `${key}: unknown field "${key}": it must be kind, s or t`;
const missing = ["s: is missing", "t: is missing"];
const noText = "must be a string, but is a number";
const [noA, noB] = ["a: is missing", "b: is missing"];

it.each<[what: string, forms: Schema[], value: unknown, ...problems: string[]]>([
  ["none of the objects", steps, {}, "must have customer, advance or reply"],
  ["no object at all", steps, 1, "must be an object, but is a number"],
  ["a text or an object", steps, { reply: 5 }, "reply: must be a string or an object, but is a number"],
  ["the form of a value", kinds, { kind: "c", xx: 1, yy: 2 }, ...missing, unknown("xx"), unknown("yy")],
  ["a wrong type", [texts("a"), texts("a", "b")], { a: 1 }, `a: ${noText}`],
  ["fields of several forms", [texts("a", "b"), texts("c"), string()], {}, "c: is missing"],
  ["several fields of one form", [texts("a", "b"), string()], {}, noA, noB],
  ["a constant far down", [tagged, texts("b", "c")], { a: { kind: "b" } }, 'a.kind: must be "a", but is "b"'],
  ["a list that is too short", [oneOf(["2xx"]), sized], [], "must not be empty"],
  ["wrong fields, not others", [texts("a", "b"), texts("c")], { a: 1, b: 2 }, `a: ${noText}`, `b: ${noText}`],
  ["a choice below", [string(), inner], { a: { b: "x" } }, "a.b: must be an integer, but is a string"],
  ["a key of a form", [string(), keyed], { b: 1 }, noA, 'b: must match ^a, but is "b"'],
  ["a missing field, not an unknown one", [atLeast("a"), optionalB], { z: 1 }, noA],
  ["missing fields, not an unknown one", [atLeast("a", "b"), texts("c")], { z: 1 }, noA, noB],
  ["what the first form misses below", [withX("a"), withX("b")], { x: {} }, `x.${noA}`],
  ["what is missing below, not above", [atLeast("c"), withX("a", "b")], { x: {} }, `x.${noA}`, `x.${noB}`],
])("of several forms: %s", (_, forms, value, ...problems) => {
  expect(told(anyOf(forms), value)).toEqual(problems);
});

it.each([null, undefined, []])("no errors are no problems: %j", (errors) => {
  expect(schemaProblems(errors, {})).toEqual([]);
});

it("a problem of a key is marked as such", () => {
  const validate = createAjv().compile(object({ a: integer() }));
  validate({ a: "x", b: 1 });
  expect(schemaProblems(validate.errors, {}, ["top"])).toEqual([
    { path: "top.b", message: expect.any(String), onKey: true },
    { path: "top.a", message: expect.any(String) },
  ]);
});
