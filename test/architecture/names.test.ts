/** Rules that the linter cannot express: members of globals, and state at module level. */
import { describe, expect, it } from "vitest";
import { type Node, parseSource, readSources, type SourceFile, walk } from "./source.js";

interface Ban {
  readonly owner: string;
  readonly members: readonly string[];
  readonly why: string;
}

const TIMERS = ["setTimeout", "setInterval", "setImmediate"];

/** Outside src/kernel. */
const BANS: readonly Ban[] = [
  { owner: "Math", members: ["random"], why: "chance comes from the sandbox's seed" },
  { owner: "crypto", members: ["randomUUID", "getRandomValues"], why: "ids come from the sandbox's seed" },
  {
    owner: "performance",
    members: ["now", "timeOrigin"],
    why: "real time is read in src/kernel/realtime.ts",
  },
  { owner: "process", members: ["hrtime"], why: "real time is read in src/kernel/realtime.ts" },
  {
    owner: "globalThis",
    members: ["Date", "Math", "crypto", "performance", "process", ...TIMERS],
    why: "globals are named as such, so that these rules see them",
  },
];

const isKernel = (file: SourceFile) => file.path.startsWith("src/kernel/");

const nameOf = (value: unknown): string | undefined => {
  const node = value as Node | undefined;
  if (node?.type === "Identifier") return node.name as string;
  return node?.type === "Literal" ? String(node.value) : undefined;
};

/** The members of a name that an expression uses: `owner.member`, `owner["member"]`, `{ member } = owner`. */
function membersOf(node: Node): { owner: string | undefined; members: (string | undefined)[] } {
  if (node.type === "MemberExpression") {
    return { owner: nameOf(node.object), members: [nameOf(node.property)] };
  }
  if (node.type === "VariableDeclarator" && (node.id as Node).type === "ObjectPattern") {
    const properties = (node.id as Node).properties as Node[];
    return { owner: nameOf(node.init), members: properties.map((property) => nameOf(property.key)) };
  }
  return { owner: undefined, members: [] };
}

function bannedIn(file: SourceFile): string[] {
  if (isKernel(file)) return [];
  return [...walk(file.program)].flatMap((node) => {
    const { owner, members } = membersOf(node);
    const ban = BANS.find((candidate) => candidate.owner === owner);
    return members
      .filter((member) => member !== undefined && ban?.members.includes(member))
      .map((member) => `${file.path}:${file.lineOf(node)}: ${owner}.${member}: ${ban?.why}`);
  });
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

it("variables at module level are found, exported or not, and no others", () => {
  const state = (code: string) => moduleStateIn(parseSource("src/service/domain/a.ts", code));
  expect([state("let count = 0;"), state("export let count = 0;")].map(({ length }) => length)).toEqual([
    1, 1,
  ]);
  expect(state("export function f() { let count = 0; return count; } export const count = 0;")).toEqual([]);
});
