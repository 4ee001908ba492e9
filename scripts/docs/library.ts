/** The library: what each entry point of the package exports, from its docstrings. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import type { Schema } from "../../src/kernel/schema.js";
import * as faults from "../../src/sandbox/faults.js";
import * as payloads from "../../src/service/domain/events.js";
import * as fields from "../../src/service/world/records.js";
import { RECORD_SCHEMAS } from "../../src/service/world/records.js";
import { CLIENT_EXAMPLES } from "./client-examples.js";
import { routeAddress } from "./control.js";
import type { Declaration, Node } from "./declarations.js";
import { exportsOf, Source } from "./declarations.js";
import type { Blocks } from "./markdown.js";
import { anchor, block, code, page, table } from "./markdown.js";
import { fieldTable } from "./schemas.js";

const ROOT = join(import.meta.dirname, "..", "..");
const EXPORTS: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
).exports;

/** An entry point: `messaging-sim/client`, its source and its page. */
interface Entry {
  readonly name: string;
  readonly path: string;
  readonly page: string;
}

/** The entry points of the package. */
export const ENTRIES: readonly Entry[] = Object.entries(EXPORTS).flatMap(([key, target]) => {
  const [, path] = /"\.\/dist\/types\/([^"]*)\.d\.[mc]?ts"/.exec(JSON.stringify(target)) ?? [];
  if (path === undefined) return [];
  const name = key === "." ? "messaging-sim" : `messaging-sim/${key.slice(2)}`;
  return [{ name, path: `src/${path}.ts`, page: `${name.replaceAll("/", "-")}.md` }];
});

const TAG = /(?:^|\s)@(?=(?:example|param|throws|returns)\b)/;

/** A docstring as Markdown: examples as code, what it takes and throws as a list. */
function docBlocks(docstring = ""): string[] {
  const [text = "", ...tags] = docstring.split(TAG);
  const told = tags.map((tag) => {
    const [, name = "", rest = ""] = /^(\w+)\s*([\s\S]*)$/.exec(tag.trim()) ?? [];
    if (name === "example") return block("ts", rest.trim());
    if (name === "param") return `- ${rest.replace(/^(\S+)\s*/, (_, param: string) => `${code(param)}: `)}`;
    return `- ${name} ${rest}`;
  });
  return [text.trim(), ...told].filter((part) => part !== "");
}

/** The name of a method that is one call of a route, and the route. */
function routeMethod(text: string): { readonly name: string; readonly line: string } | undefined {
  const [, name, line] = /^readonly (\w+) = this\.#?route\("(.+)"\)/.exec(text) ?? [];
  return name === undefined || line === undefined ? undefined : { name, line };
}

/** The arguments of a method that is one call of a route. */
function argumentsOf(called: string): string {
  const route = (ROUTES as readonly ControlRoute[]).find(
    ({ method, path }) => `${method} ${path}` === called,
  );
  const parts = [...called.matchAll(/:(\w+)/g)].map(
    ([, part = ""]) => `${part}: string${part === "id" ? " | number" : ""}`,
  );
  const body = route?.body && (route.bodyOptional ? ["body?"] : ["body"]);
  const query = route?.method === "GET" && route.query ? ["query?"] : [];
  return [...parts, ...(body ?? query)].join(", ");
}

/** What a method that is one call of a route sends and resolves to. */
function calledRoute(text: string): string | undefined {
  const called = routeMethod(text);
  if (called === undefined) return undefined;
  return `Calls [${code(called.line)}](../${routeAddress(called.line)}) and resolves to its response.`;
}

/** A declaration up to its body. */
function signature(source: Source, node: Node): string {
  const called = routeMethod(source.text(node));
  if (called !== undefined) return `${called.name}(${argumentsOf(called.line)})`;
  const { value, body, start, end, type } = node;
  const own = (value as Node | null | undefined)?.body ?? (type.includes("Function") ? body : undefined);
  const stop = (own as Node | null | undefined)?.start ?? end;
  return source
    .text({ start, end: stop })
    .trim()
    .replace(/[;{]$/, "")
    .replace(/^((async|override) )+/, "")
    .replaceAll(`\n${" ".repeat(source.columnOf(node))}`, "\n")
    .trim();
}

const isPublic = ({ key, computed, accessibility }: Node): boolean =>
  key?.type === "Identifier" && computed !== true && !["private", "protected"].includes(accessibility ?? "");

/** The members of a class that users call, each name once. */
function membersOf({ source, nodes }: Declaration): Map<string, Node[]> {
  const members = new Map<string, Node[]>();
  for (const node of nodes) {
    const declaration = node.declaration ?? node;
    if (declaration.type !== "ClassDeclaration") continue;
    for (const member of (declaration.body as { readonly body: readonly Node[] }).body.filter(isPublic)) {
      // A constructor or an override that nothing is said about is as one expects it.
      const isKnown = member.kind === "constructor" || member.override === true;
      if (isKnown && source.docstring(member) === undefined) continue;
      const name = source.text(member.key as Node);
      members.set(name, [...(members.get(name) ?? []), member]);
    }
  }
  return members;
}

/** The headers of a class and of the interface of its name: what they extend. */
const headOf = ({ source, nodes }: Declaration): string =>
  nodes
    .map((node) => source.text(node.declaration ?? node))
    .map((text) => text.slice(0, text.indexOf("{")))
    .join(" ");

/** The name of the class that a class extends; empty for none. */
const parentOf = (declaration: Declaration): string =>
  /class \w+ extends (\w+)/.exec(headOf(declaration))?.[1] ?? "";

/** The class that a class extends, where it comes from a file beside and is not one of those that are `known`. */
function inherited(declaration: Declaration, known: ReadonlySet<string>): Declaration[] {
  const parent = parentOf(declaration);
  const from = new RegExp(`import \\{[^}]*\\b${parent}\\b[^}]*\\} from "\\./([\\w-]+)\\.js"`);
  const [, file] = readFileSync(join(ROOT, declaration.source.path), "utf8").match(from) ?? [];
  if (parent === "" || known.has(parent) || file === undefined) return [];
  const path = declaration.source.path.replace(/[^/]+$/, `${file}.ts`);
  return [new Source(path).declared().get(parent) as Declaration];
}

function memberBlocks(declaration: Declaration, examples: Readonly<Record<string, string>> = {}): Blocks {
  return [...membersOf(declaration)].map(([name, nodes]) => [
    `### ${name}`,
    block("ts", nodes.map((node) => signature(declaration.source, node)).join("\n")),
    nodes.map((node) => [
      docBlocks(declaration.source.docstring(node)),
      calledRoute(declaration.source.text(node)),
    ]),
    Object.hasOwn(examples, name) && block("ts", examples[name] ?? ""),
  ]);
}

function classBlocks(name: string, declaration: Declaration, known: ReadonlySet<string>): Blocks {
  const parent = parentOf(declaration);
  return [
    `## ${name}`,
    declaration.nodes.map((node) => docBlocks(declaration.source.docstring(node))),
    known.has(parent) && `Extends [${parent}](#${anchor(parent)}).`,
    memberBlocks(declaration),
    inherited(declaration, known).map((parent) => memberBlocks(parent)),
  ];
}

/** The schemas from which exported types are inferred. */
const SCHEMAS: Readonly<Record<string, unknown>> = { ...faults, ...payloads, ...fields };

/** The fields of a type that is inferred from a schema, or where they stand. */
function schemaTable({ source, nodes }: Declaration): string | undefined {
  const [, name] = /Infer\w*<typeof (\w+)>/.exec(nodes.map((node) => source.text(node)).join("")) ?? [];
  if (name === undefined) return undefined;
  // `thread` is that of the records `threads`.
  const record = Object.entries<Schema>(RECORD_SCHEMAS).find(([plural]) => plural.startsWith(name));
  const schema = record?.[1] ?? (SCHEMAS[name] as Schema | undefined);
  if (schema !== undefined) return fieldTable(schema);
  const [title, path] =
    name === "fixtureSchema" ? ["fixtures", "fixtures"] : ["control API", "control/shapes"];
  return `See its fields in the [${title}](../${path}.md).`;
}

const stripped = (text: string): string => text.replace(/^export (declare )?/, "");

/** A type or a value as its source declares it. */
function plainBlocks(name: string, declaration: Declaration): Blocks {
  const { source, nodes } = declaration;
  const isValue = (node: Node) => /Function|Variable/.test((node.declaration ?? node).type);
  return [
    `### ${name}`,
    nodes.map((node) => docBlocks(source.docstring(node))),
    schemaTable(declaration) ??
      block(
        "ts",
        nodes
          .map((node) =>
            stripped(isValue(node) ? signature(source, node.declaration ?? node) : source.text(node)),
          )
          .join("\n"),
      ),
  ];
}

function entryPage({ name, path }: Entry): string {
  const exported = exportsOf(path);
  const isClass = ({ nodes }: Declaration) =>
    nodes.some((node) => (node.declaration ?? node).type === "ClassDeclaration");
  const isType = ({ nodes }: Declaration) =>
    nodes.every((node) => (node.declaration ?? node).type.startsWith("TS"));
  const all = [...exported].sort(([a], [b]) => (a < b ? -1 : 1));
  const known = new Set(exported.keys());
  const sections = (title: string, fits: (declaration: Declaration) => boolean): Blocks => {
    const found = all.filter(([, declaration]) => fits(declaration));
    return found.length === 0
      ? []
      : [`## ${title}`, found.map(([own, declaration]) => plainBlocks(own, declaration))];
  };
  return page(
    name,
    docBlocks(new Source(path).docstring()),
    sections("Functions and values", (one) => !isClass(one) && !isType(one)),
    [...exported].filter(([, one]) => isClass(one)).map(([own, one]) => classBlocks(own, one, known)),
    sections("Types", isType),
  );
}

const indexPage = (): string =>
  page(
    "Library and client",
    "The exports of the package, by entry point. Each can be loaded with `import` and `require`.",
    table(
      ["entry point", "holds"],
      ENTRIES.map(({ name, path, page: file }) => [
        `[${code(name)}](${file})`,
        new Source(path).docstring()?.split("\n\n")[0] ?? "",
      ]),
    ),
  );

/** The classes of the client, with what they inherit. */
const CLIENT = "src/client/index.ts";
const membersOfClient = (name: string): Declaration[] => {
  const exported = exportsOf(CLIENT);
  const declaration = exported.get(name) as Declaration;
  return [declaration, ...inherited(declaration, new Set(exported.keys()))];
};

/** The methods of a class of the client that take an example. */
export const methodsOf = (name: string): string[] =>
  membersOfClient(name)
    .flatMap((declaration) => [...membersOf(declaration)])
    .filter(([method, [node]]) => method !== "constructor" && !isField(node as Node))
    .map(([method]) => method);

/** A field with a value: methods that are one call of a route are fields, too. */
const isField = ({ type, value }: Node): boolean =>
  type === "PropertyDefinition" &&
  !["CallExpression", "ArrowFunctionExpression"].includes((value as Node | null)?.type ?? "");

/** The client: each method with an example. */
export const clientPage = (): string =>
  page(
    "Client",
    "`SimClient` of `messaging-sim/client` controls a running simulator. `client.sandbox()` creates a `Sandbox`; the fixtures of test runners have both, as `sim` and `sandbox`. In the examples, `bot` is your program. `npm run site` adds a page for each entry point of the package, with all types.",
    Object.entries(CLIENT_EXAMPLES).map(([name, examples]) => [
      `## ${name}`,
      (exportsOf(CLIENT).get(name)?.nodes ?? []).map((node) =>
        docBlocks((exportsOf(CLIENT).get(name) as Declaration).source.docstring(node)),
      ),
      membersOfClient(name).map((declaration) => memberBlocks(declaration, examples)),
    ]),
  ).replaceAll("](../", "](");

/** The pages of the library by their paths below docs/reference. */
export const libraryPages = (): [path: string, text: string][] => [
  ["library/README.md", indexPage()],
  ...ENTRIES.map((entry): [string, string] => [`library/${entry.page}`, entryPage(entry)]),
];

/** What users reach and no docstring explains: `SimClient.health`. */
export function unexplained(): string[] {
  const found = ENTRIES.flatMap(({ path }) => {
    const exported = exportsOf(path);
    const known = new Set(exported.keys());
    return [...exported].flatMap(([name, declaration]) =>
      [declaration, ...inherited(declaration, known)].flatMap((part) => [
        ...(explains(part, part.nodes) ? [] : [`${part.source.path}: ${name}`]),
        ...[...membersOf(part)]
          .filter(([, nodes]) => !explains(part, nodes))
          .map(([member]) => `${part.source.path}: ${part.name}.${member}`),
      ]),
    );
  });
  return [...new Set(found)];
}

const explains = ({ source }: Declaration, nodes: readonly Node[]): boolean =>
  nodes.some((node) => source.docstring(node) !== undefined);
