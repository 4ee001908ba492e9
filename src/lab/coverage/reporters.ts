/** Reports of coverage: in a terminal, in Markdown, as JSON. */

import { printableIn } from "../../kernel/printable.js";
import { jsonText, markdownTable } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { CoverageReport } from "../../sandbox/coverage.js";
import { percentOf } from "./report.js";

/** The outcomes of each operation, and all events. */
const tablesOf = ({ operations, events }: CoverageReport) =>
  [
    ...operations.map(({ operation, outcomes }) => ({
      title: operation,
      lines: outcomes.map((row) => ({ ...row, name: `${row.status} ${row.outcome}` })),
    })),
    {
      title: "events",
      lines: events.map((row) => ({
        ...row,
        name: `${row.event} (${row.cause}${row.legacy ? ", legacy" : ""})`,
      })),
    },
  ].map(({ title, lines }) => {
    const head = `${title}: ${lines.filter(({ met }) => met > 0).length} of ${lines.length}`;
    return { title, lines, head };
  });

/** `coverage: 12 of 178 outcomes met, 6.7 %` */
export const coverageLine = (report: CoverageReport): string =>
  `coverage: ${report.met} of ${report.total} outcomes met, ${percentOf(report).toFixed(1)} %`;

/** Operations that were never called take one line. */
function prettyCoverage(report: CoverageReport): string {
  const tables = tablesOf(printableIn(report));
  const width = Math.max(...tables.flatMap(({ lines }) => lines.map(({ name }) => name.length)));
  const text = tables.flatMap(({ head, lines }) => {
    if (lines.every(({ met }) => met === 0)) return [`${head}: never met`];
    const rows = lines.map(({ name, met, section }) =>
      met > 0
        ? `  ✓ ${name.padEnd(width)}  ${counted(met, "time")}`
        : `  ✗ ${name.padEnd(width)}  never, see "${section}"`,
    );
    return [head, ...rows];
  });
  const consulted = report.behaviours.map(({ key, consulted }) => `  ${key} (${consulted})`);
  const count = `behaviour entries consulted: ${consulted.length}`;
  return [...text, count, ...consulted, "", coverageLine(report), ""].join("\n");
}

function markdownCoverage(report: CoverageReport): string {
  const tables = tablesOf(printableIn(report)).flatMap(({ head, lines }) => {
    const rows = lines.map(({ name, met, section }) => [name, met === 0 ? "never" : met, section]);
    return [`## ${head}`, "", ...markdownTable(["outcome", "met", "section"], rows), ""];
  });
  const consulted = report.behaviours.map((row) => [`\`${row.key}\``, row.consulted, row.section]);
  const behaviours = markdownTable(["key", "times", "section"], consulted);
  return [
    `# ${coverageLine(report)}`,
    "",
    ...tables,
    "## Behaviour entries consulted",
    "",
    ...behaviours,
    "",
  ].join("\n");
}

export const COVERAGE_REPORTERS = {
  pretty: prettyCoverage,
  json: jsonText as (report: CoverageReport) => string,
  markdown: markdownCoverage,
} as const;
