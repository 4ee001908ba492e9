/** What the sources of an entry point export: declarations with their docstrings. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "vite";

const ROOT = join(import.meta.dirname, "..", "..");

/** A node of the syntax tree, as far as it is looked at. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: Node;
  readonly name?: string;
  readonly value?: unknown;
  readonly body?: unknown;
  readonly key?: Node;
  readonly declaration?: Node | null;
  readonly declarations?: readonly Node[];
  readonly specifiers?: readonly { readonly local: Node; readonly exported: Node }[];
  readonly source?: Node | null;
  readonly kind?: string;
  readonly accessibility?: string;
  readonly override?: boolean;
  readonly computed?: boolean;
  readonly exported?: Node | null;
}

/** A name that a file declares: a class and an interface of one name are one declaration with two nodes. */
export interface Declaration {
  readonly name: string;
  readonly source: Source;
  readonly nodes: readonly Node[];
}

/** A parsed file. */
export class Source {
  readonly path: string;
  readonly #code: string;
  readonly #comments: readonly { readonly start: number; readonly end: number; readonly value: string }[];
  readonly body: readonly Node[];

  constructor(path: string) {
    this.path = path;
    this.#code = readFileSync(join(ROOT, path), "utf8");
    const { program, comments } = parseSync(path, this.#code);
    this.#comments = comments;
    this.body = program.body as unknown as readonly Node[];
  }

  text({ start, end }: Pick<Node, "start" | "end">): string {
    return this.#code.slice(start, end);
  }

  /** How far a node is indented. */
  columnOf({ start }: Pick<Node, "start">): number {
    return start - (this.#code.lastIndexOf("\n", start - 1) + 1);
  }

  /** The comment that stands before a node; of the file, when there is no node. */
  docstring(node?: Node): string | undefined {
    const before = node?.start;
    const comment = this.#comments.findLast(({ start, end, value }) =>
      before === undefined
        ? start === 0 && value.startsWith("*")
        : end <= before && /^\s*$/.test(this.#code.slice(end, before)) && value.startsWith("*"),
    );
    return comment?.value
      .replace(/^\*/, "")
      .split("\n")
      .map((line) => line.replace(/^\s*\* ?/, ""))
      .join("\n")
      .trim();
  }

  /** The declarations of the file by their names, exported or not. */
  declared(): Map<string, Declaration> {
    const found = new Map<string, Declaration>();
    for (const statement of this.body) {
      const declaration = statement.declaration ?? statement;
      for (const { id } of declaration.declarations ?? [declaration]) {
        if (id?.name === undefined) continue;
        const nodes = [...(found.get(id.name)?.nodes ?? []), statement];
        found.set(id.name, { name: id.name, source: this, nodes });
      }
    }
    return found;
  }
}

const nameOf = ({ name, value }: Node): string => name ?? String(value);

/** What a file exports, under the names that importers use, in the order of the file. */
export function exportsOf(path: string): Map<string, Declaration> {
  const source = new Source(path);
  const own = source.declared();
  const found = new Map<string, Declaration>();
  for (const statement of source.body) {
    const from = statement.source == null ? undefined : resolved(path, nameOf(statement.source));
    if (statement.type === "ExportAllDeclaration" && from !== undefined)
      for (const [name, declaration] of exportsOf(from)) found.set(name, declaration);
    if (statement.type !== "ExportNamedDeclaration") continue;
    const there = from === undefined ? own : exportsOf(from);
    for (const { local, exported } of statement.specifiers ?? []) {
      const declaration = there.get(nameOf(local));
      if (declaration === undefined) throw new Error(`${path}: ${nameOf(local)} is declared nowhere`);
      found.set(nameOf(exported), declaration);
    }
    const { declaration } = statement;
    for (const { id } of declaration?.declarations ?? (declaration == null ? [] : [declaration]))
      if (id?.name !== undefined) found.set(id.name, own.get(id.name) as Declaration);
  }
  return found;
}

const resolved = (from: string, specifier: string): string =>
  posix.join(posix.dirname(from), specifier).replace(/\.js$/, ".ts");
