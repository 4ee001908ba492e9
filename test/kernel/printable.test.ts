/** Texts of others in terminals and logs. */
import { expect, it } from "vitest";
import {
  markdownTable,
  printable,
  printableIn,
  printableLines,
  printableOutput,
} from "../../src/kernel/printable.js";
import { formatProblem } from "../../src/kernel/problems.js";

const CONTROLS = [
  0x1b, 0x00, 0x0a, 0x0d, 0x09, 0x7f, 0x85, 0x9b, 0x061c, 0x200e, 0x2028, 0x2029, 0x202e, 0x2066,
];

it.each(CONTROLS.map((code) => [code.toString(16).padStart(4, "0"), String.fromCharCode(code)]))(
  "U+%s is escaped as in JSON, and JSON with it stays the same",
  (code, character) => {
    expect(printable(`a${character}b`)).toBe(`a\\u${code}b`);
    expect(printable(formatProblem({ file: `a${character}`, path: "x", message: "y" }))).toBe(
      `a\\u${code}  x: y`,
    );
    const json = JSON.stringify({ [character]: character }, null, 2);
    expect(JSON.parse(printableLines(json))).toEqual({ [character]: character });
    expect(printableLines(json)).not.toMatch(/[^\n\P{Cc}]|[\u061c\u200e\u2028\u2029\u202e\u2066]/u);
  },
);

it("keeps other characters of all scripts", () => {
  for (const text of ["é 你好 👩‍👧 עברית", "a\\nb", ""]) expect(printable(text)).toBe(text);
});

it("keeps the lines of transcripts, and escapes keys and nested texts", () => {
  const rest = { transcript: "one\ntwo", notes: ["a\nb"], n: 1, none: null };
  expect(printableIn({ "a\n": [{ b: "\u001b" }], unchanged: "\u001b", ...rest })).toEqual({
    "a\\u000a": [{ b: "\\u001b" }],
    unchanged: "\\u001b",
    ...rest,
  });
});

it("allows line breaks and colours of the command itself, and nothing else", () => {
  const own = "\u001b[31mred\u001b[0m\n\ttab\r\u001b[K\r3 of 4 scenarios";
  expect(printableOutput(own)).toBe(own);
  expect(printableOutput("\u001b]0;title\u0007 \u001b[2J \rover \u202e")).toBe(
    "\\u001b]0;title\\u0007 \\u001b[2J \\u000dover \\u202e",
  );
});

it("writes Markdown tables", () => {
  expect(markdownTable(["a", "b"], [[1, "`c`"]])).toEqual(["| a | b |", "| - | - |", "| 1 | `c` |"]);
});
