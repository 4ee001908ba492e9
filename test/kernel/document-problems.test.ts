import { describe, expect, test } from "vitest";
import { createAjv } from "../../src/kernel/ajv.js";
import { formatProblem } from "../../src/kernel/problems.js";
import type { Schema } from "../../src/kernel/schema.js";
import {
  anyOf,
  array,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  withDefault,
} from "../../src/kernel/schema.js";
import { schemaProblems } from "../../src/kernel/schema-problems.js";

function said(schema: Schema, value: unknown): string[] {
  const validate = createAjv().compile(schema);
  validate(value);
  return schemaProblems(validate.errors, value).map(formatProblem);
}

const status = oneOf(["waiting", "replied", "resolved"]);
const duration = anyOf([string({ format: "duration" }), integer({ minimum: 0 })]);
const thread = object({
  status,
  id: string({ pattern: "^[1-9]$", "x-form": "one digit" }),
  note: optional(string()),
});

describe("words for what a schema refuses", () => {
  test.each<[string, Schema, unknown, string[]]>([
    ["a wrong value", status, "closed", ['must be one of waiting, replied, resolved, but is "closed"']],
    ["a wrong type", string(), 5, ["must be a string, but is a number"]],
    ["one of two types", nullable(string()), [], ["must be a string or null, but is an array"]],
    ["a missing field", object({ a: string() }), {}, ["a: is missing"]],
    [
      "no suggestion of a field that is there",
      object({ ab: string() }),
      { ab: "", abc: "" },
      ['abc: unknown field "abc"'],
    ],
    ["an unknown field like no other", object({}), { "x y": 1 }, ['["x y"]: unknown field "x y"']],
    ["a prototype", object({}), JSON.parse('{"__proto__": 1}'), ['__proto__: unknown field "__proto__"']],
    [
      "a pattern with words",
      string({ pattern: "^[1-9]$", "x-form": "one digit" }),
      "x",
      ['must be one digit, but is "x"'],
    ],
    ["a pattern without words", string({ pattern: "^x$" }), "y", ['must match ^x$, but is "y"']],
    ["a format", string({ format: "email" }), "ana", ['must be an e-mail address, but is "ana"']],
    ["an empty text", string({ minLength: 1 }), "", ["must not be empty"]],
    [
      "bounds",
      object({ a: integer({ minimum: 0 }), b: integer({ maximum: 9 }) }),
      { a: -1, b: 10 },
      ["a: must be at least 0, but is -1", "b: must be at most 9, but is 10"],
    ],
    [
      "a value that comes twice",
      array(string(), { uniqueItems: true }),
      ["a", "b", "a"],
      ["[2]: is the same as [0]"],
    ],
    ["a digit that is a key", record(string()), { "1": 2 }, ['["1"]: must be a string, but is a number']],
    [
      "a key that is not allowed",
      { type: "object", propertyNames: { enum: ["port", "host"] } },
      { prot: 1 },
      ['prot: unknown field "prot": did you mean "port"?'],
    ],
    [
      "a long text, cut short",
      string({ format: "email" }),
      "x".repeat(100),
      [`must be an e-mail address, but is "${"x".repeat(60)}…"`],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(said(schema, value)).toEqual(expected);
  });

  test("every error at once, in the order of the schema's reading", () => {
    expect(said(array(thread), [{ id: "x", status: "closed", nite: 1 }, 4])).toEqual(
      expect.arrayContaining([
        "[1]: must be an object, but is a number",
        '[0].nite: unknown field "nite": did you mean "note"?',
        '[0].id: must be one digit, but is "x"',
        '[0].status: must be one of waiting, replied, resolved, but is "closed"',
      ]),
    );
  });
});

describe("a choice of schemas", () => {
  const step = anyOf([
    object({ customer: string(), thread: optional(string()) }),
    object({ advance: duration }),
    object({ reply: anyOf([string(), object({ contains: optional(string()) })]) }),
  ]);
  const byKind = anyOf([
    object({ kind: { const: "a" } as Schema, size: integer() }),
    object({ kind: { const: "b" } as Schema, name: string() }),
  ]);

  test.each<[string, Schema, unknown, string[]]>([
    [
      "scalars, of a wrong type",
      duration,
      true,
      ['must be a duration (such as "90s" or "24h") or an integer, but is a boolean'],
    ],
    [
      "or null",
      nullable(status),
      "closed",
      ['must be one of waiting, replied, resolved or null, but is "closed"'],
    ],
    [
      "a text or an object, neither",
      step,
      { reply: 5 },
      ["reply: must be a string or an object, but is a number"],
    ],
    [
      "the nearest object",
      step,
      { customer: "x", thred: "1" },
      ['thred: unknown field "thred": did you mean "thread"?'],
    ],
    ["none of the objects", step, {}, ["must have customer, advance or reply"]],
    ["no object at all", step, 1, ["must be an object, but is a number"]],
    ["told apart by a constant", byKind, { kind: "b" }, ["name: is missing"]],
    [
      "with its neighbours",
      object({ a: duration, b: string() }),
      { a: true, b: 1 },
      [
        'a: must be a duration (such as "90s" or "24h") or an integer, but is a boolean',
        "b: must be a string, but is a number",
      ],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(said(schema, value)).toEqual(expected);
  });

  test("that refers to itself", () => {
    const tree: Schema = {
      $defs: {
        tree: {
          type: "object",
          properties: { k: { type: "array", items: { $ref: "#/$defs/tree" } } },
          required: ["k"],
        },
      },
      anyOf: [{ $ref: "#/$defs/tree" }, { type: "null" }],
    };
    expect(said(tree, { k: [{ k: 3 }] })).toEqual(["k[0].k: must be an array, but is a number"]);
  });
});

test("the default of a field is not asked for", () => {
  expect(said(object({ on: withDefault(string(), "x") }), {})).toEqual([]);
});
