import { describe, expect, it } from "vitest";
import { nullable, type Schema, string } from "../../src/kernel/schema.js";
import { describeSchema, either, kindOf, nearest, preview, unknownKey } from "../../src/kernel/words.js";

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
])("the value %j is %s, shown as %s", (value, kind, shown) => {
  expect([kindOf(value), preview(value)]).toEqual([kind, shown]);
});

it("lists alternatives", () => {
  expect([either([]), either(["a"]), either(["a", "a"])]).toEqual(["nothing", "a", "a"]);
  expect([either(["a", "b"]), either(["a", "b", "a", "c"])]).toEqual(["a or b", "a, b or c"]);
});

describe("a schema takes", () => {
  it.each<[Schema | boolean | undefined, string]>([
    [undefined, "anything"],
    [true, "anything"],
    [{}, "another value"],
    [{ type: "number" }, "a number"],
    [{ type: "boolean" }, "true or false"],
    [{ type: "null" }, "null"],
    [{ type: "date" }, "date"],
    [string({ format: "stored-email" }), "an e-mail address"],
    [string({ format: "url" }), "an http or https URL"],
    [string({ format: "date-time" }), "a date and time in ISO form (such as 2026-01-01T09:00:00Z)"],
    [string({ format: "iban" }), "in the form iban"],
    [nullable(string({ format: "url" })), "an http or https URL or null"],
    [string({ "x-form": "digits", pattern: "^\\d+$", format: "url" }), "digits"],
    [{ const: 2, type: "integer" }, "2"],
    [{ $ref: "#/$defs/duration" }, "duration"],
    [{ $ref: "" }, "another value"],
  ])("%j: %s", (schema, text) => {
    expect(describeSchema(schema)).toBe(text);
  });
});

describe("the nearest of some words", () => {
  it.each([
    // One letter replaced, removed, added, or two swapped.
    ["abc", ["abd"], "abd"],
    ["abc", ["ab"], "ab"],
    ["abc", ["abxc"], "abxc"],
    ["abc", ["acb"], "acb"],
    // At most one change in three letters, but always one.
    ["abc", ["bca"], undefined],
    ["abcd", ["abyz"], undefined],
    ["a", ["b"], "b"],
    ["abcdef", ["badcef"], "badcef"],
    ["abcdef", ["badcfe"], undefined],
    ["abcdef", ["abcdefgh"], "abcdefgh"],
    ["abcdef", ["abcdefghi"], undefined],
    // Swapped letters stay together.
    ["camnop", ["abcmnop"], undefined],
    // The fewest changes, and of as many the first.
    ["abcdef", ["abxyef", "abcxef"], "abcxef"],
    ["abcdef", ["abcxef", "abcyef"], "abcxef"],
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
    expect(unknownKey("step", 'a"b', ["set", "to"])).toBe('unknown step "a\\"b": it must be set or to');
    expect(unknownKey("param", "x", [])).toBe('unknown param "x": there is none');
    const many = Array.from({ length: 31 }, (_, index) => `long-name-${index}`);
    expect(unknownKey("option", "x", many)).toBe(
      `unknown option "x": known are ${many.slice(0, 8).join(", ")} and 23 more`,
    );
  });
});
