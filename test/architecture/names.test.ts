/** Rules that the linter cannot express: members of globals, and state at module level. */
import { describe, expect, it } from "vitest";
import { type Node, nameOf, parseSource, readSources, type SourceFile, walk } from "./source.js";

/** Members by their owner that only src/kernel uses: chance comes from the sandbox's seed, real time from realtime.ts. */
const BANS: Readonly<Record<string, readonly string[]>> = {
  Math: ["random"],
  crypto: ["randomUUID", "getRandomValues"],
  performance: ["now", "timeOrigin"],
  process: ["hrtime"],
  // Globals are named as such, so that these rules see them.
  globalThis: "Date Math crypto performance process setTimeout setInterval setImmediate".split(" "),
};

/** The members of names that an expression uses: `owner.member`, `owner["member"]`, `{ member } = owner`. */
function membersOf({ type, object, property, id, init }: Node): [owner: string, member: string][] {
  if (type === "MemberExpression") return [[nameOf(object), nameOf(property)]];
  if (type !== "VariableDeclarator" || (id as Node).type !== "ObjectPattern") return [];
  return ((id as Node).properties as Node[]).map(({ key }) => [nameOf(init), nameOf(key)]);
}

function bannedIn(file: SourceFile): string[] {
  if (file.path.startsWith("src/kernel/")) return [];
  return [...walk(file.program)].flatMap((node) =>
    membersOf(node)
      .filter(([owner, member]) => Object.hasOwn(BANS, owner) && BANS[owner]?.includes(member))
      .map(([owner, member]) => `${file.path}:${file.lineOf(node)}: ${owner}.${member}`),
  );
}

function moduleStateIn(file: SourceFile): string[] {
  return (file.program.body as Node[])
    .map((node) =>
      node.type === "ExportNamedDeclaration" ? ((node.declaration as Node | null) ?? node) : node,
    )
    .filter((node) => node.type === "VariableDeclaration" && node.kind !== "const")
    .map((node) => `${file.path}:${file.lineOf(node)}: a ${node.kind} at module level`);
}

describe("names in src", () => {
  const sources = readSources("src");

  it("leave time and chance to the kernel", () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(bannedIn)).toEqual([]);
  });

  it("declare no variables at module level", () => {
    expect(sources.flatMap(moduleStateIn)).toEqual([]);
  });
});

it.each<[code: string, count: number]>([
  ["const x = Math.random();", 1],
  ['const x = Math["random"]();', 1],
  ["const { random } = Math;", 1],
  ["const start = process.hrtime.bigint();", 1],
  ["const now = new globalThis.Date();", 1],
  ["const x = Math.max(1, 2), y = dice.random(), { port } = options;", 0],
])("%s breaks rules outside the kernel: %i", (code, count) => {
  expect(bannedIn(parseSource("src/service/domain/a.ts", code))).toHaveLength(count);
  expect(bannedIn(parseSource("src/kernel/a.ts", code))).toEqual([]);
});

it.each([
  ["let count = 0;", 1],
  ["export let count = 0;", 1],
  ["export function f() { let count = 0; return count; } export const count = 0;", 0],
])("%s has variables at module level: %i", (code, count) => {
  expect(moduleStateIn(parseSource("src/service/domain/a.ts", code))).toHaveLength(count);
});
