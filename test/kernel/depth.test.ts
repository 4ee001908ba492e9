/** Texts that are nested too deeply. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, sizeFault } from "../../src/kernel/json.js";
import { readYaml } from "../../src/kernel/yaml-text.js";

/** The problem of a YAML text that is nested too deeply; other problems are ignored. */
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
  ] as const)("is refused where %s are nested too deeply", (_, brackets) => {
    const levels = brackets[1].length;
    const most = MAX_DEPTH / levels;
    expect(jsonFaultAt(nested(most, "1", [...brackets]))).toBeUndefined();
    expect(jsonFaultAt(` ${nested(most, "[]", [...brackets])}`)).toBe(1 + most * brackets[0].length);
  });

  it("may have any number of brackets on one level", () => {
    expect(jsonFaultAt(`[${"[],{},".repeat(1_000)}1]`)).toBeUndefined();
  });

  it("ignores brackets in its strings", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("[", "{", "]", "}", '"', "\\", "a") }), (text) => {
        const json = JSON.stringify({ [text]: [text.repeat(50)] });
        expect(jsonFaultAt(json)).toBeUndefined();
        expect(jsonFaultAt(`[${json},${nested(MAX_DEPTH)}]`)).toBe(json.length + 1 + MAX_DEPTH);
      }),
    );
  });

  it.each(['"[[', '"\\"[', '["', "\\"])("may be invalid: %s", (text) => {
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
  ])("counts %s as levels", (_, make) => {
    expect(yamlDepthFault(make(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(make(MAX_DEPTH + 1))).toBeDefined();
  });

  it("adds up the levels of indentation and brackets", () => {
    const lines = (depth: number) => Array.from({ length: depth }, (_, n) => `${" ".repeat(n)}a:\n`).join("");
    const text = (depth: number) => `${lines(100)}${" ".repeat(100)}${nested(depth - 100)}\n`;
    expect(yamlDepthFault(text(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(text(MAX_DEPTH + 1))).toBeDefined();
  });

  it("ignores closing brackets in its strings", () => {
    const text = (depth: number) => `a: ${"[ ']', ".repeat(depth - 1)}1${"]".repeat(depth - 1)}`;
    expect(yamlDepthFault(text(MAX_DEPTH))).toBeUndefined();
    expect(yamlDepthFault(text(MAX_DEPTH + 1))).toBeDefined();
    expect(yamlDepthFault(text(2_000))).toBeDefined();
  });

  it("may have any number of brackets in strings and comments, long lines and many items", () => {
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
