/** Which command runs which test. */
import { readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import config, { LEVELS } from "../../vitest.config.mjs";
import { ROOT, readSources } from "./source.js";

const sources = new Map(readSources("test").map((file) => [file.path, file]));
const projects = (config.test?.projects ?? []) as {
  readonly test: { readonly name: string; readonly include: string[]; readonly exclude: string[] };
}[];

/** The levels at which a file runs. */
const levelsOf = (path: string): string[] =>
  projects
    .filter(({ test: { include, exclude } }) =>
      [include, exclude].every((globs, at) => (at === 0) === globs.some((glob) => matchesGlob(path, glob))),
    )
    .map(({ test }) => test.name);

/** A file and all of its imports, direct or not. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const { file } of sources.get(path)?.imports ?? []) if (file !== undefined) withImports(file, found);
  return found;
}

const tests = [...sources.keys()].filter((path) => levelsOf(path).length > 0);

describe("the levels of the tests", () => {
  it("run each test file at exactly one level", () => {
    expect(Object.keys(LEVELS)).toEqual(["check", "gate", "all"]);
    expect(tests.filter((path) => levelsOf(path).length > 1)).toEqual([]);
    for (const name of Object.keys(LEVELS))
      expect(tests.filter((path) => levelsOf(path).includes(name)).length, name).toBeGreaterThan(0);
  });

  it("leave no file unused", () => {
    const used = new Set(tests.flatMap((path) => [...withImports(path)]));
    // `.test-d.ts` files are for the compiler, `.case.ts` files for runners that a test starts.
    const unused = [...sources.keys()].filter(
      (path) => !used.has(path) && !/\.(test-d|case|config)\.ts$/.test(path),
    );
    expect(unused).toEqual([]);
    const scripts = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
    expect(
      scripts.filter((path) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(path) && !sources.has(`test/${path}`)),
    ).toEqual([]);
  });

  it("start no process in `npm run check`", () => {
    const starts = new Set(["node:child_process", "node:cluster", "playwright-core"]);
    const starting = tests
      .filter((path) => levelsOf(path).includes("check"))
      .flatMap((path) =>
        [...withImports(path)]
          .filter((file) => sources.get(file)?.imports.some(({ specifier }) => starts.has(specifier)))
          .map((file) => `${path} by ${file}`),
      );
    expect(starting).toEqual([]);
  });
});
