// @ts-check
// Leaves of the declarations in dist/types what the exports of the package lead to, in the module systems of what they declare.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const types = join(root, "dist", "types");
const MODULES = ["vitest", "vitest-setup"].map((name) => join(types, "adapters", name));
const IMPORTED = /(?:from |import\()"(\.[^"]+)\.js"/g;

const reached = new Set();
/** @param {string} declared a file without its `.d.ts` */
function reach(declared) {
  if (reached.has(declared)) return;
  reached.add(declared);
  for (const [, path = ""] of readFileSync(`${declared}.d.ts`, "utf8").matchAll(IMPORTED)) {
    reach(resolve(dirname(declared), path));
  }
}
const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
for (const [entry] of Object.values(compilerOptions.paths)) {
  reach(join(types, relative("src", entry).replace(/\.ts$/, "")));
}

for (const file of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !reached.has(path.replace(/\.d\.ts$/, ""))) rmSync(path);
}
for (const declared of MODULES) {
  const text = readFileSync(`${declared}.d.ts`, "utf8");
  writeFileSync(`${declared}.d.ts`, text.replace('"./vitest-setup.js"', '"./vitest-setup.mjs"'));
  renameSync(`${declared}.d.ts`, `${declared}.d.mts`);
}
