/** Where texts go deeper than their readers may follow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, sizeFault } from "../../src/kernel/json.js";
import { readYaml } from "../../src/kernel/yaml-text.js";

/** What makes a YAML text too deep; other faults are none here. */
const yamlDepthFault = (text: string) =>
  readYaml(text).problems?.find(({ message }) => message.includes("nested deeper"));

const jsonFaultAt = (text: string) => sizeFault(text)?.offset;

const nested = (depth: number, inner = "1", [open, close] = ["[", "]"]) =>
  open.repeat(depth) + inner + close.repeat(depth);

describe("a JSON text", () => {
  it.each([
    ["arrays", ["[", "]"]],
    ["objects", ['{"a":', "}"]],
    ["objects in arrays", ['[{"a":', "}]"]],
  ] as const)("has its fault where %s go too deep", (_, brackets) => {
    const levels = brackets[1].length;
    const most = MAX_DEPTH / levels;
    expect(jsonFaultAt(nested(most, "1", [...brackets]))).toBeUndefined();
    expect(jsonFaultAt(` ${nested(most, "[]", [...brackets])}`)).toBe(1 + most * brackets[0].length);
  });

  it("may have any number of brackets side by side", () => {
    expect(jsonFaultAt(`[${"[],{},".repeat(1_000)}1]`)).toBeUndefined();
  });

  it("is judged by its signs, not by those in its texts", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("[", "{", "]", "}", '"', "\\", "a") }), (text) => {
        const json = JSON.stringify({ [text]: [text.repeat(50)] });
        expect(jsonFaultAt(json)).toBeUndefined();
        expect(jsonFaultAt(`[${json},${nested(MAX_DEPTH)}]`)).toBe(json.length + 1 + MAX_DEPTH);
      }),
    );
  });

  it.each(['"[[', '"\\"[', '["', "\\"])("that is none is judged too: %s", (text) => {
    expect(jsonFaultAt(text + "[".repeat(10))).toBeUndefined();
    expect(jsonFaultAt(`"${text}`)).toBeUndefined();
  });
});

describe("a YAML text", () => {
  it.each([
    ["brackets", (depth: number) => nested(depth)],
    ["braces", (depth: number) => nested(depth, "1", ["{a: ", "}"])],
    ["lists", (depth: number) => `${"- ".repeat(depth)}1`],
    ["keys", (depth: number) => `${"? ".repeat(depth)}1`],
    ["lines", (depth: number) => Array.from({ length: depth }, (_, n) => `${" ".repeat(n)}a:\n`).join("")],
  ])("of %s is as deep as they say", (_, make) => {
    expect(yamlDepthFault(make(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(make(MAX_DEPTH + 1))).toBeDefined();
  });

  it("is as deep as its lines and its brackets say together", () => {
    const lines = (depth: number) => Array.from({ length: depth }, (_, n) => `${" ".repeat(n)}a:\n`).join("");
    const text = (depth: number) => `${lines(100)}${" ".repeat(100)}${nested(depth - 100)}\n`;
    expect(yamlDepthFault(text(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(text(MAX_DEPTH + 1))).toBeDefined();
  });

  it("is not less deep for closing brackets in its texts", () => {
    const text = (depth: number) => `a: ${"[ ']', ".repeat(depth - 1)}1${"]".repeat(depth - 1)}`;
    expect(yamlDepthFault(text(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(text(MAX_DEPTH + 1))).toBeDefined();
    expect(yamlDepthFault(text(2_000))).toBeDefined();
  });

  it("may have any number of brackets in its texts, long lines and many items", () => {
    for (const text of [
      `# ${"[".repeat(300)}`,
      `--- # ${"[".repeat(300)}\n`,
      `? ${'"["'.repeat(300)}`,
      `a: "${"[{".repeat(500)}"`,
      `a:\n${" ".repeat(300)}b\n`,
      "- 1\n".repeat(1_000),
      `[${"[],{},".repeat(1_000)}]`,
      `${"]".repeat(300)}`,
      `a: 1\n${"-".repeat(300)}\n`,
    ])
      expect(yamlDepthFault(text)).toBeUndefined();
  });
});
