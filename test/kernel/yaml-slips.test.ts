/** The slips of people who write YAML by hand are told in plain words, at their place. */
import { expect, test } from "vitest";
import { readYaml } from "../../src/kernel/yaml-text.js";

const STEPS = "name: x\nsteps:\n";

test.each([
  [
    "a dash too far to the right",
    `${STEPS}  - a: b\n   - c: d\n`,
    "4:4  this dash must be in column 3, like the dash of line 3",
  ],
  [
    "a dash too far to the left",
    `${STEPS}  - a: b\n - c: d\n`,
    "4:2  this dash must be in column 3, like the dash of line 3",
  ],
  ["a tab", `${STEPS}\t- a: b\n`, "3:1  this line is indented with a tab: use spaces"],
  [
    "a tab behind spaces",
    `${STEPS}  - a: b\n  \tc: d\n`,
    "4:3  this line is indented with a tab: use spaces",
  ],
  ["no space after the colon", "name:x\nsteps: []\n", "1:1  a space must follow the colon: name: x"],
  ["no space after the dash", `${STEPS}  -a: b\n`, "3:3  a space must follow the dash"],
  [
    "a colon in a text",
    `${STEPS}  - a: Hello: you\n`,
    '3:8  a text with a colon must be in quotes: a: "Hello: you"',
  ],
  [
    "a key too far to the left",
    `${STEPS}  - a: b\n   c: d\n`,
    '4:4  "c" must be in column 5, below "a" of line 3',
  ],
  [
    "a key too far to the right",
    `${STEPS}  - a: b\n      c: d\n`,
    '4:7  "c" must be in column 5, below "a" of line 3',
  ],
  [
    "a key of the file too far to the right",
    'name: x\n thread: "1"\n',
    '2:2  "thread" must be in column 1, below "name" of line 1',
  ],
  [
    "a sign that needs quotes",
    "a: @home\n",
    '1:4  a text that begins with "@" must be in quotes: a: "@home"',
  ],
  ["a sign of a tag", "a: !now\n", '1:4  a text that begins with "!" must be in quotes: a: "!now"'],
  ["an apostrophe in a text", "a: 'It's me'\n", `1:4  the text ends at its second quote: write a: "It's me"`],
  ["quotes in a text", 'a: "say "hi""\n', `1:4  the text ends at its second quote: write a: 'say "hi"'`],
  [
    "text after a quote",
    `a: "It's" me\n`,
    String.raw`1:4  the text ends at its second quote: write a: "\"It's\" me"`,
  ],
  ["a quote without an end", 'a: "b\nc: d\n', "1:4  the text has no closing double quote"],
  ["a brace without an end", `${STEPS}  - a: { b: c\n  - d: e\n`, "4:3  a { has no } before this line"],
])("%s", (_, text, told) => {
  const { problems = [] } = readYaml(text);
  expect(problems.map(({ line, column, message }) => `${line}:${column}  ${message}`)).toEqual([told]);
});

test("long lines of spaces are read in no time", () => {
  const { problems = [] } = readYaml(`a: "b\n${" ".repeat(200_000)}x`);
  expect(problems).toHaveLength(1);
});
