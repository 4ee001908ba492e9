import { describe, expect, it } from "vitest";
import { type Import, layerOf, parseSource, readSources, type SourceFile } from "./source.js";

const FOUNDATION = ["kernel", "world", "behaviour", "http"];
const SANDBOX = [...FOUNDATION, "domain", "sandbox"];
const SIMULATOR = [
  ...SANDBOX,
  "api",
  "delivery",
  "control",
  "config",
  "client",
  "scenarios",
  "recording",
  "comparison",
  "simulator",
];

/** What the files of a layer may import, besides their own layer. A layer that is not listed here does not exist. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  world: ["kernel"],
  behaviour: ["kernel", "world"],
  http: ["kernel"],
  domain: ["kernel", "world", "behaviour"],
  sandbox: SANDBOX,
  api: SANDBOX,
  delivery: SANDBOX,
  control: SANDBOX,
  config: SANDBOX,
  client: [],
  scenarios: ["kernel", "client"],
  recording: ["kernel", "client", "scenarios"],
  comparison: ["kernel", "client", "scenarios"],
  generate: ["kernel", "world"],
  simulator: SIMULATOR,
  index: SIMULATOR,
  cli: [...SIMULATOR, "generate", "index"],
};

/** Single files that may do more than their layer. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // The vitest fixture starts the server that its client talks to.
  "src/client/vitest.ts": ["simulator", "index"],
  "src/client/vitest-setup.ts": ["simulator", "index"],
};

/** Layers that may name the types of any other, because nothing of that is left at run time. */
const MAY_IMPORT_ALL_TYPES = ["client"];

const HTTP = /^(node:)?https?2?$|^(express|undici|graphql-yoga|json-server)(\/|$)/;

/** Modules that a layer never imports: packages and parts of Node, or a file of src. */
const NEVER: Readonly<Record<string, readonly RegExp[]>> = {
  kernel: [HTTP],
  world: [HTTP],
  behaviour: [HTTP],
  domain: [HTTP, /^(ajv|ajv-formats|graphql|lowdb)(\/|$)/, /^(node:)?fs(\/|$)/, /^src\/kernel\/ajv\.ts$/],
};

/** Where a program or a reader of the package comes in. */
const ENTRY_POINTS = [
  "src/index.ts",
  "src/client/index.ts",
  "src/client/vitest.ts",
  "src/client/vitest-setup.ts",
  "src/cli/main.ts",
];

function problemsOf(file: SourceFile): string[] {
  const layer = layerOf(file.path);
  const allowed = MAY_IMPORT[layer];
  if (allowed === undefined) return [`${file.path}: the layer "${layer}" is not in the table of layers`];
  return file.imports.flatMap((entry) => {
    const place = `${file.path}:${entry.line}: ${layer} must not import`;
    const meant = entry.file ?? entry.specifier;
    if (NEVER[layer]?.some((never) => never.test(meant))) return [`${place} ${meant}`];
    if (entry.file === undefined || mayImport(file.path, allowed, entry, layerOf(entry.file))) return [];
    return [`${place} ${layerOf(entry.file)} (${entry.file})`];
  });
}

function mayImport(path: string, allowed: readonly string[], entry: Import, target: string): boolean {
  const layer = layerOf(path);
  return (
    target === layer ||
    allowed.includes(target) ||
    (EXCEPTIONS[path]?.includes(target) ?? false) ||
    (entry.typeOnly && MAY_IMPORT_ALL_TYPES.includes(layer))
  );
}

/** Every circle of imports that exist at run time, each once, as the list of its files. */
function circles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(" > "));
    if (start >= 0 || done.has(path)) return;
    for (const entry of byPath.get(path)?.imports ?? []) {
      if (entry.file !== undefined && !entry.typeOnly) visit(entry.file, [...trail, path]);
    }
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return found;
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
  return files.map((file) => file.path).filter((path) => path.startsWith("src/") && !seen.has(path));
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

  it("form no circle", () => {
    expect(circles(sources)).toEqual([]);
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
    ["src/scenarios/a.ts", 'import type { B } from "../world/b.js";'],
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
    ["src/client/vitest.ts", 'import { createSimulator } from "../simulator.js";'],
    ["src/scenarios/a.ts", 'import { b } from "../client/b.js";'],
    ["src/cli/a.ts", 'import { b } from "../index.js"; import { c } from "../config.js";'],
  ])("accept in %s: %s", (path, code) => {
    expect(problems(path, code)).toEqual([]);
  });

  it("find a circle of run-time imports and let one of types pass", () => {
    const a = parseSource("src/a.ts", 'import { b } from "./b.js";');
    const back = parseSource("src/b.ts", 'import { a } from "./a.js";');
    const types = parseSource("src/b.ts", 'import type { a } from "./a.js";');
    expect(circles([a, back])).toEqual(["src/a.ts > src/b.ts > src/a.ts"]);
    expect(circles([a, types])).toEqual([]);
  });

  it("find a file that nothing leads to", () => {
    const a = parseSource("src/a.ts", 'import { b } from "./b.js";');
    const b = parseSource("src/b.ts", "export const b = 1;");
    const c = parseSource("src/c.ts", "export const c = 1;");
    expect(unreachable([a, b, c], ["src/a.ts"])).toEqual(["src/c.ts"]);
  });
});
