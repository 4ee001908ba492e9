import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ROOT, SLOW } from "./consumer.js";
import { installOnce } from "./installed.js";

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "messaging-sim-cache-"));
});
afterEach(() => rm(cache, { recursive: true, force: true }));

it("installs what several ask for at the same time, and leaves one", { timeout: SLOW }, async () => {
  const { preact: version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")).devDependencies;
  const ask = () => installOnce([`preact@${version}`], cache);
  const folders = new Set(await Promise.all([ask(), ask(), ask()]));
  expect([...folders, await ask()]).toEqual(Array(2).fill(folders.values().next().value));
  expect(await readdir(cache)).toEqual([`preact@${version}`]);
  const [folder = ""] = folders;
  expect(JSON.parse(await readFile(join(folder, "node_modules/preact/package.json"), "utf8")).version).toBe(
    version,
  );
});

it("says what the registry does not have, and leaves nothing", { timeout: SLOW }, async () => {
  const asked = installOnce(["preact@0.0.0-none"], cache);
  await expect(asked).rejects.toThrow(/need preact@0\.0\.0-none[\s\S]*No matching version/);
  expect(await readdir(cache)).toEqual([]);
});
