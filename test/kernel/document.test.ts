import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "../../src/kernel/document.js";
import { scanJson } from "../../src/kernel/json-scan.js";
import type { Problem } from "../../src/kernel/problems.js";
import { formatProblem } from "../../src/kernel/problems.js";

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
  const yaml = 'a:\n  - 1\n  - "b\\n": x\nc:\n  true\n';
  const shared = "base: &base\n  port: 1\nother: *base\n";

  test.each<[string, string, (string | number)[], boolean, number, number]>([
    ["the top", json, [], false, 1, 1],
    ["a member", json, ["a"], false, 2, 8],
    ["a key", json, ["a"], true, 2, 3],
    ["an item", json, ["a", 0], false, 2, 9],
    ["a key with an escape", json, ["a", 1, "b\n"], false, 2, 21],
    ["a value below its key", json, ["c"], false, 4, 5],
    ["a missing member: its object", json, ["a", 1, "d", "e"], false, 2, 12],
    ["a missing key: its object", json, ["d"], true, 1, 1],
    ["the top of YAML", yaml, [], false, 1, 1],
    ["a member in YAML", yaml, ["c"], false, 5, 3],
    ["a key in YAML", yaml, ["c"], true, 4, 1],
    ["an item in YAML", yaml, ["a", 0], false, 2, 5],
    ["a nested member in YAML", yaml, ["a", 1, "b\n"], false, 3, 12],
    ["a missing member in YAML: its mapping", yaml, ["a", 1, "d"], false, 3, 5],
    ["a part behind an alias", shared, ["other", "port"], false, 2, 9],
  ])("%s", async (_, text, path, onKey, line, column) => {
    const document = await read(text, text === json ? "x.json" : "x.yaml");
    expect(document.locationOf(path, onKey)).toEqual({ line, column });
  });

  test("of the member that counts, where a key comes twice", async () => {
    expect((await read('{"a": 1,\n"a": 2}', "x.json")).locationOf(["a"])).toEqual({ line: 2, column: 6 });
  });

  test("many problems are located at once and come in the order of the text", async () => {
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
  });
});

describe("a text that is no document", () => {
  test.each([
    ["", "1:1  the text is empty"],
    ["  \n ", "2:2  the text is empty"],
    ['{\n  "a": 1,\n}', '2:9  unexpected "," before "}"'],
    ["[1 2]", '1:4  expected "," or "]"'],
    ['{"a" 1}', '1:6  a: expected ":" after the key'],
    ['{"a": 1', "1:8  the text ends inside an object"],
    ['{"a": [1', "1:9  a: the text ends inside an array"],
    ['{"a":', "1:6  a: the text ends where a value should stand"],
    ["{a: 1}", "1:2  expected a key in double quotes"],
    ["{", "1:2  the text ends inside an object"],
    ['{"a": tru}', '1:7  a: expected a value, but found "tru"'],
    ['{"a": 01}', '1:7  a: expected a value, but found "01"'],
    ["[1,,2]", '1:4  [1]: expected a value, but found ","'],
    ["[undefined]", '1:2  [0]: expected a value, but found "undefined"'],
    ["'x'", "1:1  expected a value, but found \"'x'\""],
    ['{"a": "b\n"}', "1:9  a: a line break or control character stands inside a string"],
    ['["\\x"]', "1:3  [0]: unknown escape in a string"],
    ['["abc', "1:2  [0]: the string has no end"],
    ["{} // done", "1:4  unexpected text after the end of the value"],
  ])("JSON: %j", async (text, expected) => {
    expect(await problemsOf(text, "x.json")).toEqual([`x.json:${expected}`]);
  });

  test("YAML: every fault with its place", async () => {
    const problems = await problemsOf("a: 1\nb: [1, 2\nc: 3\n", "x.yaml");
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every((problem) => /^x\.yaml:\d+:\d+ {2}\S/.test(problem))).toBe(true);
  });

  test("YAML: a key that comes twice", async () => {
    expect(await problemsOf("a: 1\nb: 2\na: 3\n", "x.yaml")).toEqual(['x.yaml:3:1  duplicate key "a"']);
  });

  test("YAML: aliases that grow without bound", async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    const problems = await problemsOf(["l0: &l0 [x,x,x]", ...levels].join("\n"), "x.yaml");
    expect(problems).toHaveLength(1);
  });
});

describe("reading", () => {
  test.each([
    ['{"a":1}', "x.json", { a: 1 }],
    ["a: 1", "x.yml", { a: 1 }],
    ["\uFEFF[1]", "stdin", [1]],
    ["a: 2026-01-01T09:00:00Z", "stdin", { a: "2026-01-01T09:00:00Z" }],
  ])("%j as %s", async (text, file, value) => {
    expect((await read(text, file)).value).toEqual(value);
  });

  test("__proto__ is a key like any other", async () => {
    for (const file of ["x.json", "x.yaml"]) {
      const { value } = await read('{"__proto__": {"polluted": true}}', file);
      expect(Object.keys(value as object)).toEqual(["__proto__"]);
      expect((value as { polluted?: boolean }).polluted).toBeUndefined();
    }
  });

  test("keys that come twice in JSON are told on request", async () => {
    const document = await read('{"a": {"b": 1, "\\u0062": 2},\n "a": 3}', "x.json");
    expect(document.duplicateKeys().map(formatProblem)).toEqual([
      'x.json:1:16  a.b: duplicate key "b"',
      'x.json:2:2  a: duplicate key "a"',
    ]);
  });

  test("nothing that JSON.parse reads is refused, and nothing that it refuses is read", () => {
    const accepts = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"',
        "\\",
        "1",
        "-0.5e3",
        "01",
        "true",
        "nul",
        " ",
        "\n",
      ),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          pieces.map((parts) => parts.join("")),
          fc.string(),
        ),
        (text) => {
          expect(scanJson(text).syntax === undefined).toBe(accepts(text));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
