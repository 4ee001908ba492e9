import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schema } from "../../src/kernel/schema.js";
import { nullable, string } from "../../src/kernel/schema.js";
import {
  andMore,
  counted,
  describeSchema,
  describeType,
  either,
  kindOf,
  nearest,
  preview,
  singular,
  unknownKey,
} from "../../src/kernel/words.js";

describe("a value", () => {
  it.each<[unknown, kind: string, preview: string]>([
    [null, "null", "null"],
    [undefined, "undefined", "undefined"],
    [[1], "an array", "an array"],
    [{}, "an object", "an object"],
    [true, "a boolean", "true"],
    [1.5, "a number", "1.5"],
    ['a"b', "a string", '"a\\"b"'],
    ["x".repeat(60), "a string", `"${"x".repeat(60)}"`],
    ["x".repeat(61), "a string", `"${"x".repeat(60)}…"`],
    [() => 1, "function", "function"],
  ])("%j is %s, shown as %s", (value, kind, shown) => {
    expect([kindOf(value), preview(value)]).toEqual([kind, shown]);
  });
});

it.each([
  [[], "nothing"],
  [["a"], "a"],
  [["a", "a"], "a"],
  [["a", "b"], "a or b"],
  [["a", "b", "a", "c"], "a, b or c"],
])("one of %j is %s", (alternatives, text) => {
  expect(either(alternatives)).toBe(text);
});

describe("a schema takes", () => {
  it.each<[Schema | boolean | undefined, string]>([
    [undefined, "anything"],
    [true, "anything"],
    [{}, "another value"],
    [{ type: "number" }, "a number"],
    [{ type: "boolean" }, "true or false"],
    [{ type: "null" }, "null"],
    [string({ format: "stored-email" }), "an e-mail address"],
    [string({ format: "url" }), "an http or https URL"],
    [string({ format: "date-time" }), "a date and time in ISO form (such as 2026-01-01T09:00:00Z)"],
    [string({ format: "iban" }), "in the form iban"],
    [nullable(string({ format: "url" })), "an http or https URL or null"],
    [string({ "x-form": "digits", pattern: "^\\d+$", format: "url" }), "digits"],
    [{ const: 2, type: "integer" }, "2"],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, "a string or null"],
    [{ $ref: "#/$defs/duration" }, "duration"],
    [{ $ref: "" }, "another value"],
  ])("%j: %s", (schema, text) => {
    expect(describeSchema(schema)).toBe(text);
  });

  it("types without a word of their own by their names", () => {
    expect(describeType("date")).toBe("date");
    expect(describeType(["integer", "string"])).toBe("an integer or a string");
  });
});

/** Optimal string alignment, by definition. */
function distance(from: string, to: string): number {
  const known = new Map<string, number>();
  const upTo = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const held = known.get(`${i} ${j}`);
    if (held !== undefined) return held;
    const options = [
      upTo(i - 1, j) + 1,
      upTo(i, j - 1) + 1,
      upTo(i - 1, j - 1) + Number(from[i - 1] !== to[j - 1]),
    ];
    if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
      options.push(upTo(i - 2, j - 2) + 1);
    known.set(`${i} ${j}`, Math.min(...options));
    return Math.min(...options);
  };
  return upTo(from.length, to.length);
}

describe("the nearest of some words", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 9 });

  it("takes the fewest changes, at most one in three letters, and comes first", () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (given, known) => {
        const allowed = Math.max(1, Math.floor(given.length / 3));
        const distances = known.map((candidate) => distance(given, candidate));
        const least = Math.min(...distances);
        const expected = least <= allowed ? known[distances.indexOf(least)] : undefined;
        expect(nearest(given, known)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["formCustomer", ["toCustomer", "fromCustomer"], "fromCustomer"],
    ["TIMESTAMP", ["timestamp"], "timestamp"],
    ["whatsapp", ["WHATSAPP"], "WHATSAPP"],
    ["", ["a"], "a"],
  ])("to %j among %j is %j", (given, known, expected) => {
    expect(nearest(given, known)).toBe(expected);
  });

  it("is searched among the first thousand words, for words of up to 100 letters", () => {
    const others = Array.from({ length: 999 }, () => "another");
    expect(nearest("stats", [...others, "status"])).toBe("status");
    expect(nearest("stats", [...others, "another", "status"])).toBeUndefined();
    expect(nearest("a".repeat(100), ["a".repeat(101)])).toBe("a".repeat(101));
    expect(nearest("a".repeat(101), ["a".repeat(101)])).toBeUndefined();
  });

  it("is suggested for an unknown key", () => {
    expect(unknownKey("field", "stats", ["status"])).toBe('unknown field "stats": did you mean "status"?');
    expect(unknownKey("step", 'a"b', ["status", "set"])).toBe(
      'unknown step "a\\"b": it must be status or set',
    );
    expect(unknownKey("param", "x", [])).toBe('unknown param "x": there is none');
    const many = Array.from({ length: 31 }, (_, index) => `long-name-${index}`);
    expect(unknownKey("option", "x", many)).toBe(
      `unknown option "x": known are ${many.slice(0, 8).join(", ")} and 23 more`,
    );
  });
});

it.each([
  [counted(0, "thread"), "0 threads"],
  [counted(1, "thread"), "1 thread"],
  [counted(2, "business"), "2 businesses"],
  [counted(1, "entry", "entries"), "1 entry"],
  [counted(3, "entry", "entries"), "3 entries"],
])("counts %s", (text, expected) => {
  expect(text).toBe(expected);
});

it.each([
  ["businesses", "business"],
  ["messages", "message"],
  ["assessments", "assessment"],
  ["data", "data"],
])("one of the %s is a %s", (many, one) => {
  expect(singular(many)).toBe(one);
});

it("gives the number of further items if it is known", () => {
  expect([andMore(3), andMore(Number.POSITIVE_INFINITY)]).toEqual([
    "and 3 more",
    "and more, which are not listed",
  ]);
});
