// @ts-check
// Prints the changelog's section of a version: node scripts/release-notes.mjs 1.2.3 [CHANGELOG.md]
// Fails where that is not the version of package.json and of the pytest plugin, or where the section has nothing in it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [wanted = "", file = join(root, "CHANGELOG.md")] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const [, plugin] =
  /^version = "(.*)"$/m.exec(readFileSync(join(root, "clients/pytest/pyproject.toml"), "utf8")) ?? [];

const sections = readFileSync(file, "utf8").split(/^## /m).slice(1);
const [, notes = ""] =
  sections.find((section) => section.startsWith(`[${wanted}]`))?.split(/\n([\s\S]*)/) ?? [];
if (wanted !== version) fail(`package.json has version ${version}, not ${wanted}`);
else if (wanted !== plugin) fail(`clients/pytest/pyproject.toml has version ${plugin}, not ${wanted}`);
else if (notes.trim() === "") fail(`${file} has nothing under [${wanted}]`);
else console.log(notes.trim());

function fail(/** @type {string} */ message) {
  console.error(message);
  process.exitCode = 1;
}
