/** The schemas that editors use are where files and catalog say. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { fencesOf, PAGES, ROOT } from "./fences.js";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => ending.test(path))
    .map((path) => `${folder}/${path.split(sep).join("/")}`);
const schemaOf = (text: string): string | undefined =>
  /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ??
  /^\{\s*"\$schema": "([^"]+)"/.exec(text)?.[1];

it("every scenario and fixture of the examples names a schema that exists", () => {
  const scenarios = ["scenarios", "examples"].flatMap((folder) => filesIn(folder, /\.ya?ml$/));
  const files = scenarios.filter((path) => parse(read(path))?.steps !== undefined);
  const fixtures = filesIn("examples", /\.json$/).filter((path) => "organizations" in JSON.parse(read(path)));
  expect(files.length).toBeGreaterThan(20);
  expect(fixtures.length).toBeGreaterThan(0);
  for (const path of [...files, ...fixtures]) {
    const schema = schemaOf(read(path));
    expect(schema, path).toBeDefined();
    expect(existsSync(join(ROOT, dirname(path), schema ?? "")), `${path}: ${schema}`).toBe(true);
  }
});

it("the files of the guides name schemas that the package brings", () => {
  const named = PAGES.flatMap(fencesOf).flatMap(({ text }) => schemaOf(text) ?? []);
  expect(new Set(named)).toEqual(
    new Set(
      ["scenario", "fixtures", "behaviour", "config"].map(
        (name) => `node_modules/messaging-sim/schemas/${name}.json`,
      ),
    ),
  );
});

it("the entries for SchemaStore have what its catalog asks for, and lead to schemas of this repository", () => {
  const entries: Record<string, unknown>[] = JSON.parse(read("schemas/catalog.json"));
  expect(entries).not.toEqual([]);
  for (const { name, description, fileMatch, url, ...none } of entries) {
    expect([typeof name, typeof description, Array.isArray(fileMatch), none]).toEqual([
      "string",
      "string",
      true,
      {},
    ]);
    const [, path = ""] =
      /^https:\/\/raw\.githubusercontent\.com\/messaging-sim\/messaging-sim\/main\/(.+)$/.exec(String(url)) ??
      [];
    expect(existsSync(join(ROOT, path)), String(url)).toBe(true);
  }
});
