// Writes docs/reference from the tables of the built package; with --check only says whether it is current.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { referencePages } from "./docs/pages.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs", "reference");
const dist = join(root, "dist");

if (!existsSync(join(dist, "simulator.js"))) {
  console.error("The reference is written from the built package: run `npm run build` first.");
  process.exit(1);
}

const pages = await referencePages((path) => import(pathToFileURL(join(dist, path)).href));
const there = existsSync(folder)
  ? readdirSync(folder, { recursive: true })
      .map((path) => path.split(sep).join("/"))
      .filter((path) => path.endsWith(".md"))
  : [];
const surplus = there.filter((path) => !pages.has(path));
const stale = [...pages].filter(
  ([path, text]) => !there.includes(path) || readFileSync(join(folder, path), "utf8") !== text,
);

if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`docs/reference/${path} is not what the tables say`);
  for (const path of surplus) console.error(`docs/reference/${path} is about nothing that there is`);
  if (stale.length + surplus.length > 0) {
    console.error("Run `npm run docs` and commit what it writes.");
    process.exitCode = 1;
  } else console.log(`docs/reference: ${pages.size} pages are current`);
} else {
  for (const path of surplus) rmSync(join(folder, path));
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  console.log(`docs/reference: ${pages.size} pages, ${stale.length} written, ${surplus.length} removed`);
}
