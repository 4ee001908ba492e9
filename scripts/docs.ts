/**
 * Writes docs/reference, schemas and the table of rooms in docs/architecture.md from the tables in src; with the argument `site`,
 * the pages that only the site has.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { sitePages, WRITTEN_FOLDERS, writtenFiles } from "./docs/pages.js";

const ROOT = join(import.meta.dirname, "..");

const isSite = process.argv.includes("site");
const files = isSite ? sitePages() : await writtenFiles();
const folders = isSite ? [] : WRITTEN_FOLDERS;
const surplus = folders
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(md|json)$/.test(path))
      .map((path) => `${folder}/${path.split(sep).join("/")}`),
  )
  .filter((path) => !files.has(path));
const textOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
const stale = [...files].filter(([path, text]) => textOf(join(ROOT, path)) !== text);

for (const path of surplus) rmSync(join(ROOT, path));
for (const [path, text] of stale) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
console.log(`${files.size} files, ${stale.length} written, ${surplus.length} removed`);
