/** Texts that are nested too deeply. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, sizeFault } from "../../src/kernel/json.js";
import { readYaml } from "../../src/kernel/yaml-text.js";

const nested = (depth: number, open = "[", close = "]", inner = "1") =>
  open.repeat(depth) + inner + close.repeat(depth);

describe("a JSON text", () => {
  const faultAt = (text: string) => sizeFault(text)?.offset;

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
    ["objects in arrays", '[{"a":', "}]"],
  ])("is refused where %s are nested too deeply", (_, open, close) => {
    const most = MAX_DEPTH / close.length;
    expect(faultAt(nested(most, open, close))).toBeUndefined();
    expect(faultAt(` ${nested(most, open, close, "[]")}`)).toBe(1 + most * open.length);
  });

  it("may have any number of brackets on one level", () => {
    expect(faultAt(`[${"[],{},".repeat(1_000)}1]`)).toBeUndefined();
  });

  it("ignores brackets in its strings", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[{]}"\\a') }), (text) => {
        const json = JSON.stringify({ [text]: [text.repeat(50)] });
        expect(faultAt(json)).toBeUndefined();
        expect(faultAt(`[${json},${nested(MAX_DEPTH)}]`)).toBe(json.length + 1 + MAX_DEPTH);
      }),
    );
  });

  it.each(['"[[', '"\\"[', '["', "\\"])("may be invalid: %s", (text) => {
    expect(faultAt(text + "[".repeat(10))).toBeUndefined();
    expect(faultAt(`"${text}`)).toBeUndefined();
  });
});

describe("a YAML text", () => {
  const faultOf = (text: string) =>
    readYaml(text).problems?.find(({ message }) => /nested deeper/.test(message));
  const lines = (depth: number) => Array.from({ length: depth }, (_, n) => `${" ".repeat(n)}a:\n`).join("");

  it.each<[string, (depth: number) => string, line: number, column: number]>([
    ["brackets", nested, 1, 201],
    ["braces", (depth) => nested(depth, "{a: ", "}"), 1, 801],
    ["lists", (depth) => `${"- ".repeat(depth)}1`, 1, 401],
    ["keys", (depth) => `${"? ".repeat(depth)}1`, 1, 401],
    ["lines", lines, 201, 201],
    ["lines and brackets", (depth) => lines(100) + " ".repeat(100) + nested(depth - 100), 101, 201],
    ["brackets beside those in strings", (depth) => `a: ${nested(depth - 1, "[ ']', ")}`, 1, 1_397],
  ])("counts %s as levels", (_, make, line, column) => {
    expect(faultOf(make(MAX_DEPTH))).toBeUndefined();
    expect(faultOf(make(MAX_DEPTH + 1))).toMatchObject({ line, column });
    expect(faultOf(make(1_000))).toBeDefined();
  });

  it.each([
    `# ${"[".repeat(300)}`,
    `--- # ${"[".repeat(300)}\n`,
    `? ${'"["'.repeat(300)}`,
    `a: "${"[{".repeat(500)}"`,
    `a:\n${" ".repeat(300)}b\n`,
    "- 1\n".repeat(1_000),
    `[${"[],{},".repeat(1_000)}]`,
    `${"]".repeat(300)}`,
    `a: 1\n${"-".repeat(300)}\n`,
  ])("may have brackets in strings and comments, long lines and many items: %.20j", (text) => {
    expect(faultOf(text)).toBeUndefined();
  });
});
