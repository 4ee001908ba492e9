import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filled } from "../../src/service/behaviour/entry.js";

const scope = {
  message: { id: "501", text: "Hi ${retryAfter}", attachment: null, tags: ["a", "b"] },
  retryAfter: 2,
  ok: false,
};

describe("a template", () => {
  it.each<[unknown, unknown]>([
    ["plain", "plain"],
    ["${message.id}", "501"],
    ["${retryAfter}", 2],
    ["${ok}", false],
    ["${message}", scope.message],
    ["${message.tags.1}", "b"],
    ["${ message.id }", "501"],
    ["${message.attachment}", null],
    ["${message.none}", null],
    ["${none.at.all}", null],
    ["${toString}", null],
    ["${message.__proto__}", null],
    ["<${message.tags}>", '<["a","b"]>'],
    ["a ${b ${ok} c", "a ${b false c"],
    ["${message.id}: ${ok}, ${message.tags}", '501: false, ["a","b"]'],
    ["[${message.none}${message.attachment}]", "[]"],
    ["${message.text}!", "Hi ${retryAfter}!"],
    ["open ${message.id", "open ${message.id"],
    ["${retryAfter} of ${", "2 of ${"],
    ["$retryAfter {ok}", "$retryAfter {ok}"],
    ["}${retryAfter}", "}2"],
  ])("%j becomes %j", (template, expected) => {
    expect(filled(template, scope)).toStrictEqual(expected);
  });

  it("is copied with all its texts filled in", () => {
    const template = { a: ["${retryAfter}", { b: "x${ok}" }], "${ok}": null, c: 5, d: true };
    const before = structuredClone(template);
    expect(filled(template, scope)).toStrictEqual({ ...before, a: [2, { b: "xfalse" }] });
    expect(template).toStrictEqual(before);
  });

  it("does not fill placeholders in inserted values", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(filled("<${text}>", { text: value, "": "again" })).toBe(`<${value}>`);
        expect(filled("${text}", { text: "${text}" })).toBe("${text}");
      }),
    );
  });

  it("takes linear time", () => {
    const text = "${".repeat(200_000);
    expect(filled(text, {})).toBe(text);
  });
});
