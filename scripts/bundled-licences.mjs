// @ts-check
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder of the package that a module belongs to: the innermost one with a manifest that has name and version.
 * @param {string} file
 */
function packageOf(file) {
  for (let folder = dirname(file); folder.includes("node_modules"); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version, license, author } = JSON.parse(readFileSync(manifest, "utf8"));
    if (name && version) return { folder, name, version, license, author };
  }
  return undefined;
}

/** The words of the MIT licence, without whose they are. */
const MIT = readFileSync(join(import.meta.dirname, "..", "LICENSE"), "utf8")
  .replace(/^Copyright.*\n\n/m, "")
  .trim();

const MIT_WORDS = MIT.slice(MIT.indexOf("Permission is hereby granted"));

/** The Apache licence, as a package of ours brings it. */
const APACHE = readFileSync(
  join(import.meta.dirname, "..", "node_modules", "typescript", "LICENSE"),
  "utf8",
).trim();

/**
 * The texts that a package brings; one under MIT without any gets that licence's words, for its author.
 * @param {{ folder: string, name: string, license: string, author: string | { name: string } | undefined }} found
 */
function textsOf({ folder, name, license, author }) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  // Some bring the notice alone, and the licence asks for a copy of itself.
  const isNotice = license === "Apache-2.0" && !texts.some((text) => text.includes("TERMS AND CONDITIONS"));
  if (texts.length > 0) return isNotice ? [...texts, APACHE] : texts;
  if (license !== "MIT") throw new Error(`${name} has no text of its licence (${license})`);
  const holder = typeof author === "string" ? author : (author?.name ?? `the authors of ${name}`);
  return [`Copyright (c) ${holder}\n\n${MIT_WORDS}`];
}

const wordsOf = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();

/**
 * A text of the MIT licence without its words, which stand once at the end: whose it is. Any other text stays as it is.
 * @param {string} text
 */
function withoutMit(text) {
  const begin = text.search(/Permission is hereby granted/);
  if (begin < 0 || wordsOf(text.slice(begin)) !== wordsOf(MIT_WORDS)) return text;
  return `${text.slice(0, begin).trim()}\n\nMIT: the words at the end of this file`.trim();
}

/**
 * The licences of the packages that bundled modules come from: for each a line `name version (licence)` and its texts.
 * @param {readonly string[]} modules
 */
export function licencesOf(modules) {
  const packages = new Map();
  for (const id of modules) {
    const found = packageOf(id.replace(/^\0/, "").replace(/\?.*$/, ""));
    if (found) packages.set(`${found.name} ${found.version}`, found);
  }
  const sorted = [...packages].sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = sorted.map(([title, found]) =>
    [`${title} (${found.license})`, ...textsOf(found).map(withoutMit)].join("\n\n"),
  );
  const opening =
    "This package contains code of the packages below, each under the licence that follows its name.";
  return `${[opening, ...entries, MIT].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
