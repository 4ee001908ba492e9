/** Reading YAML: values, and problems with their places. */
import { describe, expect, it, vi } from "vitest";
import { MAX_DEPTH } from "../../src/kernel/json.js";
import { readYaml } from "../../src/kernel/yaml-text.js";

/** Its value or problems. */
const read = (text: string): unknown => {
  const parsed = readYaml(text);
  return "value" in parsed
    ? parsed.value
    : parsed.problems.map(({ line, column, path, message }) => `${line}:${column}  ${path}${message}`);
};

const noAnchor = (name: string) =>
  `there is no anchor &${name} before the alias *${name}: a text that begins with * must be in quotes`;

describe("a YAML text", () => {
  it.each<[string, string, ...problems: string[]]>([
    ["a key that is nothing, twice", "a: 1\n: 2\n: 3\n", '3:1  duplicate key ""'],
    ["a key of quotes alone, twice", '"": 1\n"": 2\n', '2:1  duplicate key ""'],
    ["a key with quotes in it, twice", 'a"b": 1\na"b": 2\n', '2:1  duplicate key "a\\"b\\""'],
    ["a key in other quotes, twice", `'a"': 1\n'a"': 2\n`, '2:1  duplicate key "a\\""'],
    ["two keys twice", "a: 1\nb: 1\na: 2\nb: 2", '3:1  duplicate key "a"', '4:1  duplicate key "b"'],
    ["a merge by its tag", "!!merge <<: 1\n", "1:1  Unresolved tag: tag:yaml.org,2002:merge"],
    ["two documents", "a: 1\n---\nb: 2\n", "2:1  must be a single document"],
    ["two aliases of nothing", "- *a\n- *b\n", `1:3  ${noAnchor("a")}`, `2:3  ${noAnchor("b")}`],
    ["a name before its anchor", "- *a\n- &a 1\n", `1:3  ${noAnchor("a")}`],
  ])("is refused for %s", (_, text, ...problems) => {
    expect(read(text)).toEqual(problems);
  });

  it.each([
    ["nothing", "", null],
    ["a key without a value", "a:\n", { a: null }],
    ["a list of lists with names", "- &a [1]\n- &a [2]\n- *a\n", [[1], [2], [2]]],
    ["an alias of a key", "&a b: 1\nc: *a\n", { b: 1, c: "b" }],
    ["an alias of nothing written", "a: &a\nb: *a\n", { a: null, b: null }],
    ["the same key in two mappings", "- {a: 1}\n- {a: 2}\n", [{ a: 1 }, { a: 2 }]],
    ["a merge, which YAML 1.2 does not know", "<<: 1\n", { "<<": 1 }],
  ])("is accepted: %s", (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it("emits no process warning: a key that is a list", () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      expect(read("? [x]\n: 1\n")).toEqual({ "[ x ]": 1 });
      expect(warned).not.toHaveBeenCalled();
    } finally {
      warned.mockRestore();
    }
  });
});

const dashMeant = "this dash must be in column 3, like the dash of line 2";
const tab = "this line is indented with a tab: use spaces";
const quotes = (sign: string, text: string) =>
  `a text that begins with "${sign}" must be in quotes: a: "${text}"`;
const ends = "the text ends at its second quote: write a:";

// Common mistakes in handwritten YAML are explained in plain words, at their place.
it.each([
  ["a dash too far to the right", "steps:\n  - a: b\n   - c: d\n", `3:4  ${dashMeant}`],
  ["a dash too far to the left", "steps:\n  - a: b\n - c: d\n", `3:2  ${dashMeant}`],
  ["a tab", "steps:\n\t- a: b\n", `2:1  ${tab}`],
  ["a tab behind spaces", "steps:\n  - a: b\n  \tc: d\n", `3:3  ${tab}`],
  ["no space after the colon", "name:x\nsteps: []\n", "1:1  a space must follow the colon: name: x"],
  ["no space after the dash", "steps:\n  -a: b\n", "2:3  a space must follow the dash"],
  ["a colon", "- a: Hello: you\n", '1:6  a text with a colon must be in quotes: a: "Hello: you"'],
  ["a key too far left", "s:\n  - a: b\n   c: d\n", '3:4  "c" must be in column 5, below "a" of line 2'],
  ["a key too far right", "s:\n  - a: b\n      c: d", '3:7  "c" must be in column 5, below "a" of line 2'],
  ["a key of the file", "name: x\n thread: 1\n", '2:2  "thread" must be in column 1, below "name" of line 1'],
  ["a sign that needs quotes", "a: @home\n", `1:4  ${quotes("@", "@home")}`],
  ["a sign of a tag", "b: 1\na: !what 2\n", `2:4  ${quotes("!", "!what 2")}`],
  ["a sign of a known tag", "a: !!binary AAAA\n", `1:4  ${quotes("!", "!!binary AAAA")}`],
  ["an apostrophe in a text", "a: 'It's me'\n", `1:4  ${ends} "It's me"`],
  ["quotes in a text", 'a: "say "hi""\n', `1:4  ${ends} 'say "hi"'`],
  ["text after a quote", `a: "It's" me\n`, String.raw`1:4  ${ends} "\"It's\" me"`],
  ["a quote without an end", 'a: "b\nc: d\n', "1:4  the text has no closing double quote"],
  ["one in braces", 'a: { b: [{ c: "d } ] }\n', "1:15  the text has no closing double quote"],
  ["one of a list", "s:\n  - 'a: b\n", "2:5  the text has no closing single quote"],
  ["a quote in the last line", 'a: "b', "1:4  the text has no closing double quote"],
  ["a brace without an end", "s:\n  - a: { b: c\n  - d: e\n", "3:3  a { has no } before this line"],
  ["a bracket without an end", "a: [1,\nb: 'x", "2:1  a [ has no ] before this line"],
])("%s", (_, text, told) => {
  expect(read(text)).toEqual([told]);
});

it.each([" ", `: "'`])("long lines of %j take linear time", (part) => {
  expect(read(`a: "b\n${part.repeat(200_000)}x`)).not.toHaveLength(0);
});

describe("levels of a YAML text", () => {
  const nested = (depth: number, open = "[", close = "]") => `${open.repeat(depth)}1${close.repeat(depth)}`;
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
