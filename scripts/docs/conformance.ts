/** What the specification says, sentence by sentence, with the tests that prove it. */

import { ANSWERS } from "../../src/service/behaviour/answers.js";
import { OPERATION_IDS } from "../../src/service/behaviour/entry.js";
import { isBehaviourKey } from "../../src/service/behaviour/table.js";
import { type Chapter, rowsOf } from "../../test/conformance/row.js";
import { CHAPTERS } from "../../test/conformance/rows/index.js";
import { type Blocks, code, page, table } from "./markdown.js";
import { sectionLink } from "./specification.js";

const operations: readonly string[] = OPERATION_IDS;

/** A link to what a sentence is about. */
function linkOf(subject: string): string {
  if (operations.includes(subject)) return `[${code(subject)}](api/${subject}.md)`;
  if (!isBehaviourKey(subject)) return `[${subject}](events.md)`;
  return `[${code(subject)}](behaviour.md#${subject in ANSWERS ? "responses" : "rules-and-forms"})`;
}

/** Rows about the specification as a whole. */
const WHOLE = "Customer Messaging Integration API Specification";

const sectionsOf = (name: string, chapter: Chapter): Blocks =>
  Object.entries(chapter).map(([section, rows]) => [
    `### ${section}`,
    section === WHOLE ? undefined : `Specification: ${sectionLink(section)}.`,
    table(
      ["row", "the specification says", "about", "test"],
      Object.entries(rows).map(([id, [says, ...about]]) => [
        code(id),
        says,
        about.map(linkOf).join(", "),
        `[${name}](../../test/conformance/proofs/${name}.ts)`,
      ]),
    ),
  ]);

export function conformancePage(): string {
  const chapters = Object.entries(CHAPTERS);
  const count = chapters.flatMap(([, chapter]) => rowsOf(chapter)).length;
  return page(
    "Conformance",
    `Every testable sentence of the [specification](../specification.md): ${count} rows. Each row has a test of the same name, which calls a simulator over HTTP; \`npx vitest run test/conformance -t <row>\` runs it. Rows without a test and tests without a row are errors.`,
    "For undocumented details, the row names the entries of the [behaviour table](behaviour.md), or the detail is listed under [settled without an entry](behaviour.md#settled-without-an-entry).",
    chapters.map(([name, chapter]) => sectionsOf(name, chapter)),
  );
}
