/** Pages name only files and folders that there are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGES = [
  "CONTRIBUTING.md",
  "docs/architecture.md",
  ...readdirSync(join(ROOT, "docs", "decisions")).map((name) => `docs/decisions/${name}`),
];

/** A path in code style, from the project's root or from src. */
const PATH = /`((?:[\w-]+\/)+(?:[\w-]+(?:\.[\w-]+)?)?)`/g;
const isThere = (path: string): boolean =>
  existsSync(join(ROOT, path)) || existsSync(join(ROOT, "src", path));

/** The paths that a text names: files, and folders below one that there is. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(PATH)]
    .map(([, path = ""]) => path)
    .filter((path) => /\.[a-z]+$/.test(path) || isThere(path.split("/")[0] ?? ""));

describe("the paths that a page names", () => {
  it.each(PAGES)("exist: %s", (page) => {
    expect(pathsIn(readFileSync(join(ROOT, page), "utf8")).filter((path) => !isThere(path))).toEqual([]);
  });

  it("are found in its text", () => {
    const text =
      "`src/kernel/clock.ts`, `kernel/none`, `traffic/none.ts`, `application/json`, `serve --port`";
    expect(pathsIn(text)).toEqual(["src/kernel/clock.ts", "kernel/none", "traffic/none.ts"]);
  });
});
