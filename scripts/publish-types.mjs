// @ts-check
// Leaves of the declarations in dist/types what the exports of the package lead to, in the module systems of what they declare.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const types = join(import.meta.dirname, "..", "dist", "types");
const MODULES = ["client/vitest", "client/vitest-setup"].map((name) => join(types, name));
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
for (const entry of [join(types, "index"), join(types, "client", "index"), ...MODULES]) reach(entry);

for (const file of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !reached.has(path.replace(/\.d\.ts$/, ""))) rmSync(path);
}
for (const declared of MODULES) {
  const text = readFileSync(`${declared}.d.ts`, "utf8");
  writeFileSync(`${declared}.d.ts`, text.replace('"./vitest-setup.js"', '"./vitest-setup.mjs"'));
  renameSync(`${declared}.d.ts`, `${declared}.d.mts`);
}
