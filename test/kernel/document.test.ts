import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "../../src/kernel/document.js";
import { formatProblem, locator, type Problem } from "../../src/kernel/problems.js";

async function read(text: string, file: string) {
  const document = await parseDocument(text, { file });
  if (document.problems) throw new Error(document.problems.map(formatProblem).join("\n"));
  return document;
}

async function problemsOf(text: string, file: string): Promise<readonly string[]> {
  const document = await parseDocument(text, { file });
  return (document.problems ?? []).map(formatProblem);
}

describe("the location of a part", () => {
  const json = '{\n  "a": [1, { "b\\n": "x" }],\n  "c":\n    true\n}';
  const shared = "base: &base\n  port: 1\nother: *base\n";

  test.each<[string, string, (string | number)[], place: string, onKey?: boolean]>([
    ["the top", json, [], "1:1"],
    ["a member", json, ["a"], "2:8"],
    ["a key", json, ["a"], "2:3", true],
    ["an item", json, ["a", 0], "2:9"],
    ["a key with an escape", json, ["a", 1, "b\n"], "2:21"],
    ["a value below its key", json, ["c"], "4:5"],
    ["a missing member: its object", json, ["a", 1, "d", "e"], "2:12"],
    ["a missing key: its object", json, ["d"], "1:1", true],
    ["a key without a value in YAML", "{x: 1, a, b: 2}", ["a"], "1:8"],
    ["the top below a comment", "# note\na: 1", [], "2:1"],
    ["the top of nothing in YAML", "# note", [], "1:1"],
    ["a part of nothing in YAML", "", ["a"], "1:1"],
    ["what follows an empty line", "\na: 1", ["a"], "2:4"],
    ["a value behind tabs and carriage returns", '{\r\n\t"a"\t:\r\n1}', ["a"], "3:1"],
    ["a part behind an alias", shared, ["other", "port"], "2:9"],
  ])("%s", async (_, text, path, place, onKey) => {
    const { line, column } = (await read(text, "x.yaml")).locationOf(path, onKey);
    expect(`${line}:${column}`).toBe(place);
  });

  test("many parts of a long text are located in linear time", () => {
    const count = 300_000;
    const locate = locator("x\n".repeat(count));
    const lines = Array.from({ length: count }, (_, index) => locate(2 * index).line);
    expect(lines.every((line, index) => line === index + 1)).toBe(true);
  });

  test("problems are located and sorted by their place", async () => {
    const document = await read('{\n"a": 1,\n"b": [2,\n3]\n}', "x.json");
    const problems: Problem[] = [
      { path: "b[1]", message: "two" },
      { path: "a", message: "one", onKey: true },
      { path: '["b"]', message: "both" },
    ];
    expect(document.locate(problems).map(formatProblem)).toEqual([
      "x.json:2:1  a: one",
      'x.json:3:6  ["b"]: both',
      "x.json:4:1  b[1]: two",
    ]);
    expect(document.locate([])).toEqual([]);
  });
});

describe("an invalid JSON text", () => {
  test.each([
    ["", "1:1  expected a value"],
    ['{\n  "a": 1,\n}', "3:1  expected a key in double quotes"],
    ["[1 2]", '1:4  [0]: expected "," or a closing bracket'],
    ['{"a" 1}', '1:6  a: expected ":" after the key'],
    ['{"a": 1', "1:8  a: the text ends inside an object"],
    ['{"a": [1', "1:9  a[0]: the text ends inside an array"],
    ['{"a":', "1:6  a: expected a value"],
    ["{a: 1}", '1:2  unexpected "a"'],
    ['{"a": tru}', '1:7  a: unexpected "tru"'],
    ['{"a": "b\n"}', "1:7  a: the string is not closed on its line"],
    ['["\t"]', "1:2  [0]: control characters must be escaped in a string"],
    ['["\\x"]', "1:2  [0]: unknown escape in a string"],
    ["1 2", "1:3  unexpected text after the end of the value"],
    ["{} // done", "1:4  JSON does not allow comments"],
    // Nested too deeply, whatever else is wrong.
    ["[".repeat(201) + "]".repeat(201), "1:201  must not be nested deeper than 200 levels"],
    ["[".repeat(1_000_000), "1:201  must not be nested deeper than 200 levels"],
    // In a value that a duplicate key replaces.
    [
      `{"a": ${"[".repeat(201)}${"]".repeat(201)}, "a": 1}`,
      "1:206  must not be nested deeper than 200 levels",
    ],
  ])("%.30j", async (text, expected) => {
    expect(await problemsOf(text, "x.json")).toEqual([`x.json:${expected}`]);
  });

  test("has a place and a reason, whatever JSON.parse says", async () => {
    const piece = fc.constantFrom(...'{}[],: \n\\"', '"a"', "1", "-0.5e3", "01", "true", "nul");
    const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(fc.oneof(pieces, fc.string()), async (text) => {
        const { problems: [problem] = [] } = await parseDocument(text, { file: "x.json" });
        if (problem !== undefined) expect(problem).toMatchObject({ line: expect.any(Number) });
        if (problem !== undefined) expect(problem.message).not.toContain("SyntaxError");
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("reading", () => {
  test.each([
    ['{"a":1}', "x.json", { a: 1 }],
    ["a: 1", "x.yml", { a: 1 }],
    [`\uFEFF{"a": [${"1,".repeat(30_000)}1]}`, "large.yaml", { a: Array(30_001).fill(1) }],
    ["\uFEFF[1]", "stdin", [1]],
    ["a: 2026-01-01T09:00:00Z", "stdin", { a: "2026-01-01T09:00:00Z" }],
  ])("%.30j as %s", async (text, file, value) => {
    expect((await read(text, file)).value).toEqual(value);
  });

  test.each<[file: string, text: string, format: "json" | "yaml"]>([
    ["x.json", "a: 1", "json"],
    ["X.JSON", "a: 1", "json"],
    ["x.json.txt", "a: 1", "yaml"],
    ["x.yaml", "{a: 1}", "yaml"],
    ["X.YML", "{a: 1}", "yaml"],
    ["x.yaml.txt", "{a: 1}", "json"],
    ["stdin", "{a: 1}", "json"],
    ["stdin", "[a]", "json"],
    ["stdin", "  \n {a: 1}", "json"],
    ["stdin", "\uFEFF{a: 1}", "json"],
    ["stdin", "a: {b: 1}", "yaml"],
  ])("%s with %j is read as %s", async (file, text, format) => {
    expect((await problemsOf(text, file)).length === 0).toBe(format === "yaml");
  });

  test.each(["x.json", "x.yaml"])("__proto__ is a key like any other in %s", async (file) => {
    const { value } = await read('{"__proto__": {"polluted": true}}', file);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect((value as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each([
    ['{"a": {"b": 1, "\\u0062": 2},\n"a": 3}', ['1:16  a.b: duplicate key "b"', '2:1  a: duplicate key "a"']],
    ['{"a" : 1, "a"\n\t: 2}', ['1:11  a: duplicate key "a"']],
    ['{"a": "\\":", "b": [{"c": ":"}, "\\": "]}', []],
    ['{"a": "\\":", "b": 1, "b": 2}', ['1:22  b: duplicate key "b"']],
    ['{"a": {"b": {"c": 1}}, "a": 1}', ['1:24  a: duplicate key "a"']],
    ['{"__proto__": 1, "__proto__": 2}', ['1:18  __proto__: duplicate key "__proto__"']],
    ['[{"a": 1}, {"a": 1}]', []],
    ["a: 1", []],
  ])("%s has these duplicate keys: %j", async (text, twice) => {
    expect(await problemsOf(text, "x.yaml")).toEqual(twice.map((problem) => `x.yaml:${problem}`));
  });
});

describe("a document that is too large", () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join("\n");
  const BOMB = `a0: &a0 [x]\n${lines(9, (n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`)}\n`;
  const TOO_MANY = "must have at most 20000 values and keys; JSON may have more";
  const EXPANDED = "aliases must not expand to more than 100000 values";

  test.each([
    ["an alias inside its value", "x: &x {<<: *x}", `1:12  ${EXPANDED}, nor refer to a value that contains`],
    ["the same in a list", "a: 1\nx: &x\n  - *x\n", `3:5  ${EXPANDED}`],
    ["aliases that multiply each other", BOMB, `2:10  ${EXPANDED}`],
    ["many brackets", "[".repeat(1_000_000), `1:20001  ${TOO_MANY}`],
    ["many keys", lines(40_000, (n) => `k${n}: ${n}`), TOO_MANY],
    ["many anchors", lines(150_000, (n) => `- &a${n} x`).slice(0, 1_000_000), TOO_MANY],
    ["many aliases", `- &a x\n${lines(5_000, () => "- *a")}`, TOO_MANY],
    ["many comments", lines(400_000, () => "#"), TOO_MANY],
    ["ends of lines", "\n".repeat(1_000_000), TOO_MANY],
    [
      "its length",
      `a: ${"x".repeat(1_100_000)}`,
      "1:1  must have at most 1048576 characters; JSON may have more",
    ],
  ])("YAML is refused with its place: %s", async (_, text, problem) => {
    expect(await problemsOf(text, "x.yaml")).toEqual([expect.stringContaining(problem)]);
  });

  test("aliases may expand to 100,000 values", async () => {
    // The document, its three fields, and 1,000 times a list of 98 values.
    const text = `a: &a [${lines(98, () => "x,").replaceAll("\n", " ")}]\nb: &b 1\nc:\n${"  - *a\n".repeat(1_000)}`;
    expect(await problemsOf(text, "x.yaml")).toEqual([]);
    const [problem] = await problemsOf(`${text}${"  - *a\n".repeat(10)}`, "x.yaml");
    expect(problem).toContain(`x.yaml:4:5  ${EXPANDED}`);
  });
});
