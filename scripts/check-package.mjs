// @ts-check
// Packs the package as it would be published and has publint and attw look at the tarball.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);
const shell = process.platform === "win32";

const folder = mkdtempSync(join(tmpdir(), "messaging-sim-package-"));
try {
  // Without scripts: prepack would build again what is to be checked as it stands.
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const packed = spawnSync("npm", args, { cwd: root, shell, encoding: "utf8" });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const [{ filename, files, size }] = JSON.parse(packed.stdout);
  const tarball = join(folder, filename);
  console.log(`${filename}: ${files.length} files, ${Math.ceil(size / 1024)} KiB`);

  const checks = [
    { name: "publint", args: ["run", tarball, "--strict"] },
    // The fixtures of vitest are modules, as vitest is: `require` takes them since Node 20.19.
    {
      name: "attw",
      args: [tarball, "--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm", "--no-emoji"],
    },
  ];
  for (const { name, args } of checks) {
    const done = spawnSync(bin(name), args, { cwd: root, shell, stdio: "inherit" });
    if (done.status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
