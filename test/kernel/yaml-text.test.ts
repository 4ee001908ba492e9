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

const ends = "the text ends at its second quote: write a:";

// The commonest slips in handwritten YAML are explained in plain words; for others, the parser's own must do.
it.each([
  ["a colon", "- a: Hello: you\n", '1:3  a text with a colon must be in quotes: a: "Hello: you"'],
  ["a colon at the end", "a: Hello:\nb: 1\n", '1:1  a text with a colon must be in quotes: a: "Hello:"'],
  ["no space after the colon", "name:x\nsteps: []\n", "1:1  a space must follow the colon: name: x"],
  ["none in a list", "- reply: x\n  thread:9001\n", "2:3  a space must follow the colon: thread: 9001"],
  ["an apostrophe in a text", "a: 'It's me'\n", `1:1  ${ends} "It's me"`],
  ["quotes in a text", 'a: "say "hi""\n', String.raw`1:1  ${ends} "say \"hi\""`],
  ["a tab", "steps:\n\t- a: b\n", "2:1  Tabs are not allowed as indentation"],
  [
    "a dash out of line",
    "s:\n  - a: b\n   - c: d\n",
    "3:4  All sequence items must start at the same column",
  ],
  ["a quote without an end", "s:\n  - 'a: b\n", "3:1  Missing closing 'quote"],
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
