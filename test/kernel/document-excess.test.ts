import { describe, expect, test } from "vitest";
import { parseDocument } from "../../src/kernel/document.js";
import { formatProblem } from "../../src/kernel/problems.js";

describe("a document that is more than its text", () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join("\n");
  const BOMB = `a0: &a0 [x]\n${lines(9, (n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`)}\n`;
  const TOO_DEEP = "must not be nested deeper than 200 levels";

  test.each([
    [
      "an alias inside of what it names",
      "x: &x {<<: *x}",
      "1:12  aliases must not expand to more than 100000 values, nor refer to a value that contains them",
    ],
    ["the same in a list", "a: 1\nx: &x\n  - *x\n", "3:5  aliases must not"],
    [
      "an alias of nothing",
      "a: 1\nb: *c\n",
      "2:4  there is no anchor &c before the alias *c: a text that begins with * must be in quotes",
    ],
    ["aliases that multiply each other", BOMB, "aliases must not expand to more than 100000 values"],
    ["brackets", "[".repeat(300), `1:201  ${TOO_DEEP}`],
    ["braces", "{".repeat(300), `1:201  ${TOO_DEEP}`],
    ["lists in lists", "- ".repeat(300), `1:401  ${TOO_DEEP}`],
    ["keys of keys", "? ".repeat(5_000), `1:401  ${TOO_DEEP}`],
    ["many brackets", "[".repeat(1_000_000), "1:20001  must have at most 20000 values and keys"],
    ["many keys", lines(40_000, (n) => `k${n}: ${n}`), "values and keys; JSON may have more"],
    ["many anchors", lines(150_000, (n) => `- &a${n} x`).slice(0, 1_000_000), "values and keys"],
    ["many aliases", `- &a x\n${lines(5_000, () => "- *a")}`, "values and keys"],
    ["many comments", lines(400_000, () => "#"), "values and keys; JSON may have more"],
    ["ends of lines", "\n".repeat(1_000_000), "values and keys"],
    ["its length", `a: ${"x".repeat(1_100_000)}`, "1:1  must have at most 1048576 characters"],
    ["lines", lines(300, (n) => `${" ".repeat(n)}a:`), `201:201  ${TOO_DEEP}`],
  ])("is refused with its place in YAML: %s", async (_, text, problem) => {
    const { problems = [] } = await parseDocument(text, { file: "x.yaml" });
    expect(problems.map(formatProblem)).toEqual([expect.stringContaining(problem)]);
  });

  test("stands by aliases for 100,000 values at most", async () => {
    // Of a, b and c, of a list of 98 values with itself 1,000 times, and of the document.
    const text = `a: &a [${lines(98, () => "x,").replaceAll("\n", " ")}]\nb: &b 1\nc:\n${"  - *a\n".repeat(1_000)}`;
    expect((await parseDocument(text, { file: "x.yaml" })).problems).toBeUndefined();
    const { problems = [] } = await parseDocument(`${text}${"  - *a\n".repeat(10)}`, { file: "x.yaml" });
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^x\.yaml:4:5 {2}aliases must not expand to more/),
    ]);
  });
});
