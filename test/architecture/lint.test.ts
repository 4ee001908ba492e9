/** biome.json says what it is meant to say: each rule of ours is tried on lines that break it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./source.js";

const BIOME = join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");
const RULES = /^(?:lint\/style\/)?(noRestrictedGlobals|noRestrictedImports|noProcessEnv)$/;

/** File, its content, the rule that refuses it; each file name once. */
const REFUSED = [
  ["src/domain/now.ts", "export const now = Date.now();", "noRestrictedGlobals"],
  ["src/domain/date.ts", "export const now = () => new Date();", "noRestrictedGlobals"],
  ["src/delivery/timeout.ts", "setTimeout(() => {}, 1);", "noRestrictedGlobals"],
  ["src/delivery/interval.ts", "setInterval(() => {}, 1);", "noRestrictedGlobals"],
  ["src/cli/immediate.ts", "setImmediate(() => {});", "noRestrictedGlobals"],
  ["src/delivery/timers.ts", 'import "node:timers/promises";', "noRestrictedImports"],
  ["src/domain/uuid.ts", 'export { randomUUID } from "node:crypto";', "noRestrictedImports"],
  ["src/domain/hooks.ts", 'export { performance } from "node:perf_hooks";', "noRestrictedImports"],
  ["src/world/faker.ts", 'export { faker } from "@faker-js/faker";', "noRestrictedImports"],
  ["src/cli/lazy.ts", 'export const load = () => import("@faker-js/faker");', "noRestrictedImports"],
  ["src/api/port.ts", "export const port = process.env.PORT;", "noProcessEnv"],
  ["src/config/port.ts", "export const port = process.env.PORT;", "noProcessEnv"],
  ["src/api/env.ts", 'export { env } from "node:process";', "noRestrictedImports"],
] as const;

const ACCEPTED = [
  ["src/kernel/realtime.ts", "export const now = () => Date.now();\nsetTimeout(() => {}, 1);"],
  ["src/cli/generate-names.ts", 'export const load = () => import("@faker-js/faker");'],
  ["src/test-runners/environment.ts", "export const url = process.env.MESSAGING_SIM_URL;"],
  ["src/cli/columns.ts", "export const columns = process.env.COLUMNS;"],
  ["src/domain/hash.ts", 'export { createHash } from "node:crypto";'],
  ["test/time.test.ts", "export const now = Date.now();"],
] as const;

const CONFIG = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));

/** A path as biome.json writes it: in a list of files, or in the middle of a message. */
const PATH = /^!?([\w.-]+(?:\/[\w.*-]+)*)$|(\bsrc(?:\/[\w-]+)+(?:\.ts)?)/;

/** Every path that a part of the configuration names. */
function pathsIn(part: unknown, key = ""): string[] {
  if (typeof part === "string") {
    const [, file, inMessage] = PATH.exec(part) ?? [];
    return [(key === "includes" ? file : inMessage) ?? []].flat();
  }
  if (Array.isArray(part)) return part.flatMap((item) => pathsIn(item, key));
  return Object.entries(part ?? {}).flatMap(([name, value]) => pathsIn(value, name));
}

interface Report {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string };
  }[];
}

describe("biome", () => {
  let folder = "";
  let report: Report = { diagnostics: [] };

  /** The rules of ours that refused something in a file. */
  const refusals = (path: string): string[] =>
    report.diagnostics
      .filter((problem) => problem.location.path.endsWith(path))
      .map((problem) => RULES.exec(problem.category)?.[1] ?? "")
      .filter((rule) => rule !== "");

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "messaging-sim-lint-"));
    const { vcs: _, ...config } = CONFIG;
    const files = [["biome.json", JSON.stringify(config)], ...REFUSED, ...ACCEPTED];
    for (const [path = "", content = ""] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${content}\n`);
    }
    const args = [BIOME, "lint", "--reporter=json", "--max-diagnostics=none", "src", "test"];
    const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    report = JSON.parse(run.stdout);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([...new Set(pathsIn(CONFIG))])("names what there is: %s", (path) => {
    expect(existsSync(join(ROOT, path.replace(/\/\*\*$/, "")))).toBe(true);
  });

  it.each(REFUSED)("refuses in %s: %s", (path, _content, rule) => {
    expect(refusals(path)).toEqual([rule]);
  });

  it.each(ACCEPTED)("accepts in %s: %s", (path) => {
    expect(refusals(path)).toEqual([]);
  });
});
