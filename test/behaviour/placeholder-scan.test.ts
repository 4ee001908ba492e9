import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filled } from "../../src/behaviour/placeholders.js";

describe("placeholders", () => {
  const scope = { id: "9001", count: 2, ok: false, none: null, user: { name: "Ana", tags: ["a"] } };

  it.each([
    ["${user}", { name: "Ana", tags: ["a"] }],
    ["${user.name}", "Ana"],
    ["${ user.name }", "Ana"],
    ["${user.tags.0}", "a"],
    ["${count}", 2],
    ["${ok}", false],
    ["${none}", null],
    ["${missing.deep}", null],
    ["${constructor}", null],
    ["${user.__proto__}", null],
    ["thread ${id} of ${user.name}", "thread 9001 of Ana"],
    ["${id}${count}", "90012"],
    ["<${user}>", '<{"name":"Ana","tags":["a"]}>'],
    ["<${none}${missing}${ok}>", "<false>"],
    ["a ${id", "a ${id"],
    ["${a ${id} b", " b"],
    ["$ {id} $id }", "$ {id} $id }"],
  ])("%j becomes %j", (template, expected) => {
    expect(filled(template, scope)).toEqual(expected);
  });

  it("are filled at any depth of a template, which stays as it is", () => {
    const template = { a: ["${id}", { b: "${count} of ${count}" }], c: 1, d: null };
    const before = structuredClone(template);
    expect(filled(template, scope)).toEqual({ a: ["9001", { b: "2 of 2" }], c: 1, d: null });
    expect(template).toEqual(before);
  });

  it("are not looked for in what fills them", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(filled("<${text}>", { text: value, "": "again" })).toBe(`<${value}>`);
        expect(filled("${text}", { text: "${text}" })).toBe("${text}");
      }),
    );
  });

  it("cost no more than the length of the text", () => {
    const text = "${".repeat(200_000);
    expect(filled(text, {})).toBe(text);
  });
});
