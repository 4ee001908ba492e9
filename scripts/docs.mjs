// Writes docs/reference and schemas from the tables of the built package; with --check only says whether they are current.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { referencePages } from "./docs/pages.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const FOLDERS = ["docs/reference", "schemas"];
/** The schemas that editors use, under the names of `messaging-sim schema`. */
const SCHEMAS = ["scenario", "fixtures", "behaviour", "config"];

if (!existsSync(join(dist, "simulator.js"))) {
  console.error("The reference is written from the built package: run `npm run build` first.");
  process.exit(1);
}
const load = (path) => import(pathToFileURL(join(dist, path)).href);

const { PRINTABLE } = await load("cli/schema.js");
const outputs = new Map(
  [...(await referencePages(load))].map(([path, text]) => [`docs/reference/${path}`, text]),
);
for (const name of SCHEMAS)
  outputs.set(`schemas/${name}.json`, `${JSON.stringify(await PRINTABLE[name](), null, 2)}\n`);

const there = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => `${folder}/${path.split(sep).join("/")}`)
    .filter((path) => /\.(md|json)$/.test(path)),
);
const surplus = there.filter((path) => !outputs.has(path));
const stale = [...outputs].filter(
  ([path, text]) => !there.includes(path) || readFileSync(join(root, path), "utf8") !== text,
);

if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} is not what the tables say`);
  for (const path of surplus) console.error(`${path} is about nothing that there is`);
  if (stale.length + surplus.length > 0) {
    console.error("Run `npm run docs` and commit what it writes.");
    process.exitCode = 1;
  } else console.log(`${outputs.size} pages and schemas are current`);
} else {
  for (const path of surplus) rmSync(join(root, path));
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(`${outputs.size} pages and schemas, ${stale.length} written, ${surplus.length} removed`);
}
