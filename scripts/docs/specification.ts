/** Links into the restated specification, by the names of its sections: `Endpoints / Get customer profile`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchor } from "./markdown.js";

const FILE = join(import.meta.dirname, "..", "..", "docs", "specification.md");

/** The anchor of each section; the second heading of the same text has a number behind it. */
function anchorsIn(text: string): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const seen = new Map<string, number>();
  let chapter = "";
  for (const [, level = "", heading = ""] of text.matchAll(/^(##|###) (.+)$/gm)) {
    if (level === "##") chapter = heading;
    const count = seen.get(heading) ?? 0;
    seen.set(heading, count + 1);
    const own = count === 0 ? anchor(heading) : `${anchor(heading)}-${count}`;
    anchors.set(level === "##" ? heading : `${chapter} / ${heading}`, own);
  }
  return anchors;
}

const ANCHORS = anchorsIn(readFileSync(FILE, "utf8"));

/** @param folder the way from the page to docs, such as `../`. @throws Error for a section that the specification does not have */
export function sectionLink(section: string, folder = "../"): string {
  const found = ANCHORS.get(section);
  if (found === undefined) throw new Error(`docs/specification.md has no section "${section}"`);
  return `[${section}](${folder}specification.md#${found})`;
}
