import { describe, expect, it } from "vitest";
import { LAYERS, type Layer } from "../../scripts/layers.js";
import { type Import, LIBRARY, layerOf, parseSource, readSources, type SourceFile } from "./source.js";

const HTTP = /^(node:)?https?2?$|^(express|undici|graphql-yoga|json-server)(\/|$)/;

/** Modules that a layer never imports: packages and parts of Node, or a file of src. */
const NEVER: Readonly<Record<string, readonly RegExp[]>> = {
  kernel: [HTTP],
  world: [HTTP],
  behaviour: [HTTP],
  domain: [HTTP, /^(ajv|ajv-formats|graphql|lowdb)(\/|$)/, /^(node:)?fs(\/|$)/, /^src\/kernel\/ajv\.ts$/],
};

/** Where a program or a reader of the package comes in. */
const ENTRY_POINTS = [...LIBRARY, "src/cli/main.ts"];

function problemsOf(file: SourceFile): string[] {
  const name = layerOf(file.path);
  const layer = LAYERS[name];
  if (layer === undefined) return [`${file.path}: the layer "${name}" is not in the table of layers`];
  return file.imports.flatMap((entry) => {
    const refusal = `${file.path}:${entry.line}: ${name} must not import`;
    const meant = entry.file ?? entry.specifier;
    if (NEVER[name]?.some((never) => never.test(meant))) return [`${refusal} ${meant}`];
    if (entry.file === undefined || mayImport(file.path, layer, entry, layerOf(entry.file))) return [];
    return [`${refusal} ${layerOf(entry.file)} (${entry.file})`];
  });
}

function mayImport(path: string, layer: Layer, entry: Import, target: string): boolean {
  return (
    target === layerOf(path) ||
    layer.imports.includes(target) ||
    (entry.typeOnly && layer.importsAllTypes === true)
  );
}

/**
 * The groups of files that import each other, directly or through others, types included: the strongly connected
 * components of the graph, after Tarjan.
 */
function circles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  const open: string[] = [];
  const found: string[] = [];
  const visit = (path: string): number => {
    const position = order.size;
    order.set(path, position);
    open.push(path);
    let reached = position;
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file === undefined || !byPath.has(file)) continue;
      if (!order.has(file)) reached = Math.min(reached, visit(file));
      else if (open.includes(file)) reached = Math.min(reached, earliest.get(file) ?? order.get(file) ?? 0);
    }
    earliest.set(path, reached);
    if (reached === position) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1) found.push(group.sort().join(" "));
    }
    return reached;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return found.sort();
}

/** Files that cannot be reached from the roots along imports. */
function unreachable(files: readonly SourceFile[], roots: readonly string[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const entry of byPath.get(path)?.imports ?? []) if (entry.file) waiting.push(entry.file);
  }
  // Declarations of what a package ships without types are read by the compiler alone.
  const read = files.map((file) => file.path).filter((path) => !path.endsWith(".d.ts"));
  return read.filter((path) => path.startsWith("src/") && !seen.has(path));
}

describe("imports in src", () => {
  const sources = readSources("src");

  it("follow the layers", () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(problemsOf)).toEqual([]);
  });

  it("name files that exist", () => {
    const paths = new Set(sources.map((file) => file.path));
    const missing = sources.flatMap((file) =>
      file.imports
        .filter((entry) => entry.file !== undefined && !paths.has(entry.file))
        .map((entry) => `${file.path}:${entry.line}: ${entry.file}`),
    );
    expect(missing).toEqual([]);
  });

  it("form no circle, types included, nor do those of the dashboard", () => {
    expect(circles([...sources, ...readSources("dashboard/src")])).toEqual([]);
  });

  it("lead to every file from an entry point", () => {
    expect(unreachable(sources, ENTRY_POINTS)).toEqual([]);
  });
});

describe("the import rules themselves", () => {
  const problems = (path: string, code: string) => problemsOf(parseSource(path, code));

  it.each([
    ["src/kernel/a.ts", 'import { b } from "../world/b.js";'],
    ["src/world/a.ts", 'import type { B } from "../behaviour/b.js";'],
    ["src/api/operations/a.ts", 'import { b } from "../../control/b.js";'],
    ["src/api/a.ts", 'export * from "../delivery/b.js";'],
    ["src/domain/a.ts", 'import { b } from "../sandbox/b.js";'],
    ["src/domain/a.ts", 'import { readFileSync } from "node:fs";'],
    ["src/domain/a.ts", 'import { Ajv } from "ajv/dist/2020.js";'],
    ["src/domain/a.ts", 'import { createAjv } from "../kernel/ajv.js";'],
    ["src/kernel/a.ts", 'import { request } from "node:http";'],
    ["src/sandbox/a.ts", 'const { b } = await import("../simulator.js");'],
    ["src/scenarios/a.ts", 'import type { B } from "../domain/b.js";'],
    ["src/client/a.ts", 'import { type B, c } from "../world/b.js";'],
    ["src/control/a.ts", 'let b: import("../scenarios/b.js").B;'],
    ["src/simulator.ts", 'import { b } from "./cli/b.js";'],
    ["src/elsewhere/a.ts", 'import { b } from "../kernel/b.js";'],
  ])("refuse in %s: %s", (path, code) => {
    expect(problems(path, code)).toHaveLength(1);
  });

  it.each([
    ["src/kernel/a.ts", 'import { b } from "./b.js"; import { Ajv } from "ajv";'],
    ["src/domain/a.ts", 'import { b } from "../world/b.js"; import { createHash } from "node:crypto";'],
    ["src/client/a.ts", 'import type { B } from "../world/b.js"; import { type C } from "../api/c.js";'],
    ["src/test-runners/vitest.ts", 'import { createSimulator } from "../simulator.js";'],
    ["src/scenarios/a.ts", 'import { b } from "../client/b.js";'],
    ["src/cli/a.ts", 'import { b } from "../index.js"; import { c } from "../config.js";'],
  ])("accept in %s: %s", (path, code) => {
    expect(problems(path, code)).toEqual([]);
  });

  it.each([
    [["b"], ["a"], [], ["a b"]],
    [["b"], ["c"], ["a"], ["a b c"]],
    [["b", "c"], ["a"], ["a"], ["a b c"]],
    [["b", "c"], ["c"], ["b"], ["b c"]],
    [["b", "c"], ["c"], [], []],
    [[], ["a"], ["a", "b"], []],
  ])("find the circles of %j, %j, %j", (a, b, c, groups) => {
    const file = (name: string, imports: readonly string[]) =>
      parseSource(
        `src/${name}.ts`,
        imports.map((other) => `import type { X } from "./${other}.js";`).join("\n"),
      );
    const found = circles([file("a", a), file("b", b), file("c", c)]);
    expect(found).toEqual(groups.map((group) => group.replace(/\w/g, "src/$&.ts")));
  });

  it("go one way", () => {
    const files = Object.entries(LAYERS).map(([name, { imports }]) =>
      parseSource(`src/${name}.ts`, imports.map((other) => `import "./${other}.js";`).join("\n")),
    );
    expect(circles(files)).toEqual([]);
  });

  it("name layers that there are", () => {
    const there = new Set(readSources("src").map(({ path }) => layerOf(path)));
    expect(new Set(Object.keys(LAYERS))).toEqual(there);
  });

  it("find a file that nothing leads to", () => {
    const a = parseSource("src/a.ts", 'import { b } from "./b.js";');
    const b = parseSource("src/b.ts", "export const b = 1;");
    const c = parseSource("src/c.ts", "export const c = 1;");
    expect(unreachable([a, b, c], ["src/a.ts"])).toEqual(["src/c.ts"]);
  });
});
