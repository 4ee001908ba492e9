import { describe, expect, it } from "vitest";
import { LAYERS } from "../../scripts/layers.js";
import {
  type Import,
  LIBRARY,
  layerOf,
  parseSource,
  reachedFrom,
  readSources,
  type SourceFile,
} from "./source.js";

const HTTP = /^(node:)?https?2?$|^(express|undici|graphql-yoga|json-server)(\/|$)/;

/** Modules that a layer never imports: packages and parts of Node, or a file of src. */
const NEVER: Readonly<Record<string, readonly RegExp[]>> = {
  kernel: [HTTP],
  "service/world": [HTTP],
  "service/behaviour": [HTTP],
  "service/domain": [
    HTTP,
    /^(ajv|ajv-formats|graphql|lowdb)(\/|$)/,
    /^(node:)?fs(\/|$)/,
    /^src\/kernel\/schema-problems\.ts$/,
  ],
};

/** The entry points of programs and of users of the package. */
const ENTRY_POINTS = [...LIBRARY, "src/cli/main.ts"];

function problemsOf(file: SourceFile): string[] {
  const name = layerOf(file.path);
  const layer = LAYERS[name];
  if (layer === undefined) return [`${file.path}: the layer "${name}" is not in the table of layers`];
  const allowed = [name, ...layer.imports];
  const isAllowed = ({ file, specifier, typeOnly }: Import) =>
    !NEVER[name]?.some((never) => never.test(file ?? specifier)) &&
    (file === undefined || allowed.includes(layerOf(file)) || (typeOnly && layer.importsAllTypes === true));
  return file.imports
    .filter((entry) => !isAllowed(entry))
    .map((entry) => `${file.path}:${entry.line}: ${name} must not import ${entry.file ?? entry.specifier}`);
}

/** The first circle of files that import each other, types included; empty where there is none. */
function circle(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): string[] => {
    if (way.includes(path)) return way.slice(way.indexOf(path));
    if (done.has(path)) return [];
    for (const { file } of imports.get(path) ?? []) {
      const found = file === undefined || file === path ? [] : visit(file, [...way, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  };
  return files.map(({ path }) => visit(path, [])).find((found) => found.length > 0) ?? [];
}

/** Files that cannot be reached from the roots along imports. */
function unreachable(files: readonly SourceFile[], roots: readonly string[]): string[] {
  const reached = reachedFrom(roots, files);
  // Declarations of what a package ships without types are read by the compiler alone.
  return files.map(({ path }) => path).filter((path) => !reached.has(path) && !path.endsWith(".d.ts"));
}

describe("imports in src", () => {
  const sources = readSources("src");

  it("follow the layers", () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(problemsOf)).toEqual([]);
  });

  it("form no circle, types included, and neither do those of the dashboard", () => {
    expect(circle([...sources, ...readSources("dashboard/src")])).toEqual([]);
  });

  it("reach every file from an entry point", () => {
    expect(unreachable(sources, ENTRY_POINTS)).toEqual([]);
  });
});

describe("the import rules themselves", () => {
  const parsed = (path: string, imports: readonly string[]) =>
    parseSource(path, imports.map((other) => `import type { X } from "./${other}.js";`).join("\n"));

  it.each([
    ["src/kernel/a.ts", 'import { b } from "../service/world/b.js";', 1],
    ["src/service/domain/a.ts", 'import { createAjv } from "../../kernel/schema-problems.js";', 1],
    ["src/kernel/a.ts", 'import { request } from "node:http";', 1],
    ["src/sandbox/a.ts", 'const { b } = await import("../server/simulator.js");', 1],
    ["src/control/a.ts", 'let b: import("../scenarios/b.js").B;', 1],
    ["src/elsewhere/a.ts", 'import { b } from "../kernel/b.js";', 1],
    ["src/kernel/a.ts", 'import { b } from "./b.js"; import { Ajv } from "ajv";', 0],
    ["src/client/a.ts", 'import type { B } from "../api/b.js"; import { type C } from "../api/c.js";', 0],
  ])("find problems in %s: %s (%i)", (path, code, count) => {
    expect(problemsOf(parseSource(path, code))).toHaveLength(count);
  });

  it.each([
    [["b", "c"], ["c"], ["b"], "bc"],
    [["b", "c"], ["c"], [], ""],
  ])("find the circle of %j, %j, %j", (a, b, c, names) => {
    const files = [parsed("src/a.ts", a), parsed("src/b.ts", b), parsed("src/c.ts", c)];
    expect(circle(files)).toEqual([...names].map((name) => `src/${name}.ts`));
  });

  it("come from a table of the existing layers without circles", () => {
    const there = new Set(readSources("src").map(({ path }) => layerOf(path)));
    expect(new Set(Object.keys(LAYERS))).toEqual(there);
    const layers = Object.entries(LAYERS);
    expect(circle(layers.map(([name, { imports }]) => parsed(`src/${name}.ts`, imports)))).toEqual([]);
  });

  it("find an unreachable file", () => {
    const files = [parsed("src/a.ts", ["b"]), parsed("src/b.ts", []), parsed("src/c.ts", [])];
    expect(unreachable(files, ["src/a.ts"])).toEqual(["src/c.ts"]);
  });
});
