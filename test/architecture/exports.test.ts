/** Every export of src is imported by another file. */
import { expect, it } from "vitest";
import { LIBRARY, type Node, nameOf, parseSource, readSources, type SourceFile, walk } from "./source.js";

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

it("exports of src are each imported somewhere", () => {
  const sources = readSources("src");
  const readers = [...sources, ...["dashboard", "scripts", "test", "examples"].flatMap(readSources)];
  const own = sources.filter(({ path }) => !LIBRARY.includes(path));
  expect(unused(own, readers)).toEqual([]);
});

it.each([
  ['import { two as other, type Three } from "./a.js"; export { five } from "./a.js";', ["one"]],
  ['import * as all from "./a.js";', []],
  ['const { one, two: other } = await import("./a.js"); let three: import("./a.js").Three;', ["five"]],
  ['import "./b.js"; const one = 1;', ["one", "two", "Three", "five"]],
])("the search for unused exports understands %s", (code, names) => {
  const exported =
    "export const one = 1; export function two() {} export interface Three {} const four = 4; export { four as five };";
  const source = parseSource("src/a.ts", exported);
  const found = unused([source], [source, parseSource("src/c.ts", code)]);
  expect(found.map((line) => line.split(" ")[1])).toEqual(names);
});
