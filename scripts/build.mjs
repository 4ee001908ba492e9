// @ts-check
// Builds dist/ from nothing: the types with tsc, the dashboard with vite, the program with rolldown.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);

/**
 * Runs a command; when it fails, so does the build.
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, ...args) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (done.error) console.error(done.error.message);
  if (done.status !== 0) process.exit(done.status ?? 1);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
run(bin("tsc"), "-p", "tsconfig.build.json");
if (existsSync(join(root, "dashboard", "vite.config.ts"))) {
  run(bin("vite"), "build", "--config", "dashboard/vite.config.ts");
}
run(process.execPath, "scripts/bundle.mjs");
run(process.execPath, "scripts/publish-types.mjs");
const command = join(root, "dist", "cli", "main.js");
if (existsSync(command)) chmodSync(command, 0o755);
