/** Which command runs which test. */
import { readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import config, { LEVELS, together } from "../../vitest.config.mjs";
import { ROOT, reachedFrom, readSources } from "./source.js";

const files = readSources("test");
const sources = new Map(files.map((file) => [file.path, file]));
interface Files {
  readonly include: string[];
  readonly exclude: string[];
}
const projects = (config.test?.projects ?? []) as { readonly test: Files & { readonly name: string } }[];

const isOf = ({ include, exclude }: Files, path: string) =>
  include.some((glob) => matchesGlob(path, glob)) && !exclude.some((glob) => matchesGlob(path, glob));

/** The levels at which a file runs. */
const levelsOf = (path: string): string[] =>
  projects.flatMap(({ test }) => (isOf(test, path) ? [test.name] : []));

const tests = [...sources.keys()].filter((path) => levelsOf(path).length > 0);

describe("the levels of the tests", () => {
  it("run each test file at exactly one level", () => {
    expect(Object.keys(LEVELS)).toEqual(["check", "gate", "all"]);
    expect(tests.filter((path) => levelsOf(path).length > 1)).toEqual([]);
    for (const name of Object.keys(LEVELS))
      expect(tests.filter((path) => levelsOf(path).includes(name)).length, name).toBeGreaterThan(0);
  });

  it("are run together by the later commands", () => {
    const names = Object.keys(LEVELS) as (keyof typeof LEVELS)[];
    for (const at of [1, 2, 3]) {
      const run = together(names.slice(0, at)).test as Files;
      const expected = tests.filter((path) =>
        names.slice(0, at).some((name) => levelsOf(path).includes(name)),
      );
      expect(tests.filter((path) => isOf(run, path))).toEqual(expected);
    }
  });

  it("leave no file unused", () => {
    const used = reachedFrom(tests, files);
    // `.test-d.ts` files are for the compiler, `.case.ts` files for runners that a test starts.
    const unused = files.filter(({ path }) => !used.has(path) && !/\.(test-d|case|config)\.ts$/.test(path));
    expect(unused.map(({ path }) => path)).toEqual([]);
    const there = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
    const scripts = there.filter((path) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(path));
    expect(scripts.filter((path) => !sources.has(`test/${path}`))).toEqual([]);
  });

  it("start no process in `npm run check`", () => {
    const starts = new Set(["node:child_process", "node:cluster", "playwright-core"]);
    const starting = tests
      .filter((path) => levelsOf(path).includes("check"))
      .flatMap((path) =>
        [...reachedFrom([path], files)]
          .filter((file) => sources.get(file)?.imports.some(({ specifier }) => starts.has(specifier)))
          .map((file) => `${path} by ${file}`),
      );
    expect(starting).toEqual([]);
  });
});
