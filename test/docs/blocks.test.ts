/** How the blocks of README and guides are parsed; blocks.gate.test.ts and blocks.all.test.ts run them. */
import { expect, it } from "vitest";
import { commandsOf, fencesOf, PAGES, patternOf, printedBy, RUN, textOf } from "./fences.js";

const FENCES = PAGES.flatMap(fencesOf);
/** Output or excerpts of files; `zsh`, `fish` and `console` need what this machine may not have. */
const SHOWN = ["", "js", "yaml", "json", "zsh", "fish", "console"];

/** The commands that no test runs: they install or start what a test must not, or run until they are stopped. */
const NOT_RUN = [
  ...[/^(docker|java|keytool|npm|sudo) /, /^cd \.\.\/your-project && npm /],
  ...[
    /^export MESSAGING_SIM_INTERCEPT=/,
    /^NODE_OPTIONS=.* npm start$/,
    /^npx messaging-sim serve( --set \S+)?$/,
  ],
  /^npx messaging-sim challenge conversation\.yaml --hook http:\/\/127\.0\.0\.1:4021\/ --exec "node bot\.js"$/,
  /^npx autocannon /,
];

it("the blocks are all found, each in a language that is run or shown", () => {
  for (const page of PAGES) {
    const opened = textOf(page).match(/^[ >]*(```|~~~)/gm) ?? [];
    expect(opened.length, page).toBe(2 * fencesOf(page).length);
  }
  const languages = new Set(FENCES.map(({ language }) => language));
  expect([...languages].filter((language) => ![...RUN, ...SHOWN].includes(language))).toEqual([]);
  expect(FENCES.filter(({ language, file }) => language === "js" && file === undefined)).toEqual([]);
});

it("the blocks that no test runs have only commands that none can run", () => {
  const shown = FENCES.filter(({ language }) => language === "console");
  const commands = shown.flatMap(({ text }) => text.trim().split("\n"));
  expect(commands.filter((command) => !NOT_RUN.some((pattern) => pattern.test(command)))).toEqual([]);
});

it("README and guides stay short enough to be read", () => {
  const linesOf = (page: string) => textOf(page).trimEnd().split("\n").length;
  expect(linesOf("README.md")).toBeLessThanOrEqual(110);
  const guides = PAGES.filter((page) => page !== "README.md").map(linesOf);
  expect(guides.reduce((sum, lines) => sum + lines, 0)).toBeLessThanOrEqual(1_500);
});

it("every command line works in zsh, where an unquoted pattern that matches no file is an error", () => {
  const lines = FENCES.filter(({ language }) => ["sh", "console"].includes(language)).flatMap(
    ({ page, text }) =>
      text
        .split("\n")
        .filter((line) => !line.startsWith("#"))
        .map((line) => `${page}: ${line.replace(/'[^']*'|"[^"]*"/g, "''")}`),
  );
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.filter((line) => /[?*[\]]/.test(line))).toEqual([]);
});

it("a block of commands is split into commands and their output", () => {
  const block = "# Why.\na\nb \\\n  c\n# one\n# …\nd\n# exit code 2\n\n# Why not.\ne # because\n";
  expect(commandsOf(block)).toEqual([
    { script: "a\nb \\\n  c\n", output: "one\n…", code: 0 },
    { script: "d\n", output: undefined, code: 2 },
    { script: "e # because\n", output: undefined, code: 0 },
  ]);
  expect(printedBy("console.log(1); // 1\nf(2); // no\nconsole.log(3); // …\n")).toBe("1\n…");
  expect("one\ntwo\nthree").toMatch(patternOf("one\n…"));
  expect("one (two)").not.toMatch(patternOf("one (t)"));
});
