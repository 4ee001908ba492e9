/** Parses source files and their imports for the architecture tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { LAYERS } from "../../scripts/layers.js";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A node of the syntax tree, as far as the tests use it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export interface Import {
  /** As written: `./ring.js`, `node:fs`. */
  readonly specifier: string;
  /** The imported file of this project, from its root: `src/kernel/clock.ts`. */
  readonly file: string | undefined;
  /** It is removed at run time. */
  readonly typeOnly: boolean;
  /** The imported names; `*` for all, undefined if unknown. */
  readonly names: readonly string[] | undefined;
  readonly line: number;
}

export interface SourceFile {
  /** From the project's root, with slashes: `src/kernel/clock.ts`. */
  readonly path: string;
  readonly program: Node;
  readonly imports: readonly Import[];
  lineOf(node: Node): number;
}

/** A cache: the files are the same for every test. */
const READ = new Map<string, readonly SourceFile[]>();

/** Every TypeScript file under a folder of the project, in a fixed order. */
export function readSources(folder: string): readonly SourceFile[] {
  const top = join(ROOT, folder);
  const read =
    READ.get(folder) ??
    readdirSync(top, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
      .map((name) => posix.join(folder, name.split(sep).join("/")))
      .sort()
      .map((path) => parseSource(path, readFileSync(join(ROOT, path), "utf8")));
  READ.set(folder, read);
  return read;
}

/** Parses one file; relative imports are resolved from `path`. */
export function parseSource(path: string, code: string): SourceFile {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const root = program as unknown as Node;
  const lineOf = (node: Node) => code.slice(0, node.start).split("\n").length;
  const imports = [...walk(root)].flatMap((node): Import[] => {
    const specifier = literal(node.source);
    if (specifier === undefined) return [];
    const [file, typeOnly, names] = [resolve(path, specifier), isTypeOnly(node), namesIn(node)];
    return [{ specifier, file, typeOnly, names, line: lineOf(node) }];
  });
  return { path, program: root, imports, lineOf };
}

/** Every node of a tree, parents first. */
export function* walk(value: unknown): Generator<Node> {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value) && typeof (value as Partial<Node>).type === "string") yield value as Node;
  for (const child of Object.values(value)) yield* walk(child);
}

/** The name of an identifier or a text. */
export function nameOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: string; value?: unknown };
  return name ?? String(value ?? "");
}

/** Files and all of their imports, direct or not, among `files`. */
export function reachedFrom(roots: readonly string[], files: readonly SourceFile[]): Set<string> {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const reached = new Set(roots);
  // A set also yields what is added meanwhile.
  for (const path of reached) for (const { file } of imports.get(path) ?? []) if (file) reached.add(file);
  return reached;
}

/** The text of a literal; import, export-from, import() and import types keep theirs in `source`. */
function literal(value: unknown): string | undefined {
  const node = value as { readonly type?: unknown; readonly value?: unknown } | null | undefined;
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function isTypeOnly(node: Node): boolean {
  if (node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type") return true;
  const names = (node.specifiers ?? []) as Node[];
  return names.length > 0 && names.every((name) => name.importKind === "type" || name.exportKind === "type");
}

function namesIn(node: Node): string[] | undefined {
  if (node.type === "ExportAllDeclaration") return ["*"];
  if (node.type !== "ImportDeclaration" && node.type !== "ExportNamedDeclaration") return undefined;
  return (node.specifiers as Node[]).map((specifier) => {
    if (specifier.type === "ImportNamespaceSpecifier") return "*";
    return specifier.type === "ImportDefaultSpecifier"
      ? "default"
      : nameOf(specifier.imported ?? specifier.local);
  });
}

/** The package's own names, as in examples, and their files. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(ROOT, "tsconfig.json"), "utf8"),
).compilerOptions.paths;
const fileOfOwn = (name: string): string | undefined => OWN_NAMES[name]?.[0]?.replace("./", "");

/** The entry points of the package, whose exports are for users. */
export const LIBRARY = Object.keys(OWN_NAMES).map((name) => fileOfOwn(name) ?? "");

function resolve(from: string, specifier: string): string | undefined {
  if (OWN_NAMES[specifier] !== undefined) return fileOfOwn(specifier);
  if (!specifier.startsWith(".")) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  if (path.endsWith(".js")) return path.replace(/\.js$/, ".ts");
  // Imports of the dashboard have no extensions.
  return [".ts", ".tsx"].map((ending) => path + ending).find((file) => existsSync(join(ROOT, file))) ?? path;
}

/** The layer of a file: `src/service/domain/windows.ts` → `service/domain`; `src/index.ts` → `index`. */
export function layerOf(path: string): string {
  const [room = "", folder = "", inside] = relative("src", path).split(sep);
  const part = `${room}/${folder}`;
  return inside !== undefined && Object.hasOwn(LAYERS, part) ? part : room.replace(/\.ts$/, "");
}
