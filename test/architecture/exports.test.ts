/** Whatever a file of src exports, another file imports. */
import { describe, expect, it } from "vitest";
import { LIBRARY, type Node, parseSource, readSources, type SourceFile, walk } from "./source.js";

const nameOf = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? "";
};

/** The names that a file exports. */
function exportsOf({ program }: SourceFile): string[] {
  return (program.body as Node[]).flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration") return [];
    const declaration = node.declaration as Node | null;
    if (declaration === null) return (node.specifiers as Node[]).map(({ exported }) => nameOf(exported));
    if (declaration.type !== "VariableDeclaration") return [nameOf(declaration.id)];
    return (declaration.declarations as Node[]).map(({ id }) => nameOf(id));
  });
}

/** Which names of which files another file imports; `*` stands for all of them. */
function importedBy(file: SourceFile): { file: string; names: readonly string[] }[] {
  const identifiers = () =>
    [...walk(file.program)].filter(({ type }) => type === "Identifier").map((node) => nameOf(node));
  return file.imports.flatMap(({ file: target, names }) =>
    target === undefined ? [] : [{ file: target, names: names ?? identifiers() }],
  );
}

function unused(sources: readonly SourceFile[], readers: readonly SourceFile[]): string[] {
  const used = new Map<string, Set<string>>();
  for (const { file, names } of readers.flatMap(importedBy))
    used.set(file, new Set([...(used.get(file) ?? []), ...names]));
  return sources.flatMap((file) =>
    exportsOf(file)
      .filter((name) => !used.get(file.path)?.has(name) && !used.get(file.path)?.has("*"))
      .map((name) => `${file.path}: ${name}`),
  );
}

describe("exports of src", () => {
  it("are each imported somewhere", () => {
    const sources = readSources("src");
    const readers = [...sources, ...["dashboard", "scripts", "test", "examples"].flatMap(readSources)];
    const found = unused(
      sources.filter(({ path }) => !LIBRARY.includes(path)),
      readers,
    );
    expect(found).toEqual([]);
  });
});

describe("the search for unused exports", () => {
  const exported =
    "export const one = 1; export function two() {} export interface Three {} const four = 4; export { four as five };";
  const unusedBeside = (path: string, code: string) => {
    const source = parseSource("src/a.ts", exported);
    return unused([source], [source, parseSource(path, code)]).map((line) => line.split(" ")[1]);
  };

  it.each([
    ['import { two as other, type Three } from "./a.js";', ["one", "five"]],
    ['export { five } from "./a.js";', ["one", "two", "Three"]],
    ['import * as all from "./a.js";', []],
    ['const { one, two: other } = await import("./a.js");', ["Three", "five"]],
    ['const result = (await import("./a.js")).two();', ["one", "Three", "five"]],
    ['let three: import("./a.js").Three;', ["one", "two", "five"]],
    ['import "./b.js"; const one = 1;', ["one", "two", "Three", "five"]],
  ])("takes from %s what it names", (code, names) => {
    expect(unusedBeside("src/c.ts", code)).toEqual(names);
  });
});
