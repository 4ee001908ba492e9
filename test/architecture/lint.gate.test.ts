/** biome.json keeps time, chance, faker and the environment where they belong: one line that breaks each rule of ours. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../persistence/support.js";
import { ROOT } from "./source.js";

const FILES: readonly [path: string, content: string, refusedBy?: string][] = [
  ["src/api/port.ts", "export const port = process.env.PORT;", "noProcessEnv"],
  ["src/cli/timeout.ts", "setTimeout(() => {}, 1);", "noRestrictedGlobals"],
  ["src/sandbox/delivery/timers.ts", 'import "node:timers/promises";', "noRestrictedImports"],
  ["src/service/domain/date.ts", "export const now = () => new Date();", "noRestrictedGlobals"],
  ["src/service/domain/uuid.ts", 'export { randomUUID } from "node:crypto";', "noRestrictedImports"],
  ["src/service/world/faker.ts", 'export { faker } from "@faker-js/faker";', "noRestrictedImports"],
  // Allowed where they belong:
  ["src/kernel/realtime.ts", "export const now = () => Date.now();\nsetTimeout(() => {}, 1);"],
  ["src/cli/generate.ts", 'export const load = () => import("@faker-js/faker");'],
  ["src/adapters/run-server.ts", "export const url = process.env.MESSAGING_SIM_URL;"],
  ["test/time.test.ts", "export const now = Date.now();"],
];

it("refuses them elsewhere", () => {
  const folder = newFolder();
  const { vcs: _, ...config } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
  for (const [path, content] of [["biome.json", JSON.stringify(config)] as const, ...FILES]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${content}\n`);
  }
  const biome = join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "src", "test"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  const refused = diagnostics.flatMap(({ category, location }) => {
    const [, rule] = /\/(noRestrictedGlobals|noRestrictedImports|noProcessEnv)$/.exec(category) ?? [];
    return rule === undefined ? [] : [`${location.path.replace(/.*(?=src\/|test\/)/, "")}: ${rule}`];
  });
  expect(refused.sort()).toEqual(FILES.flatMap(([path, , rule]) => (rule ? [`${path}: ${rule}`] : [])));
});
