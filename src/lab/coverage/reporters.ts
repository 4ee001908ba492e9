/** Reports of coverage: in a terminal, in Markdown, as JSON. What the system under test does not use stands apart. */

import { jsonText, markdownTable, printableIn } from "../../kernel/printable.js";
import { counted } from "../../kernel/words.js";
import type { CoverageReport } from "../../sandbox/coverage.js";
import { tablesOf, usedIn } from "./report.js";

/** `coverage: 4 of 20 outcomes handled of what is used, 20.0 %` */
export function coverageLine(report: CoverageReport): string {
  const { met, total, percent } = usedIn(report);
  return `coverage: ${met} of ${total} outcomes handled of what is used, ${percent.toFixed(1)} %`;
}

const partsOf = (report: CoverageReport) => {
  const tables = tablesOf(printableIn(report)).map((table) => ({
    ...table,
    head: `${table.title}: ${table.met} of ${table.rows.length}`,
  }));
  return { used: tables.filter(({ met }) => met > 0), unused: tables.filter(({ met }) => met === 0) };
};

function prettyCoverage(report: CoverageReport): string {
  const { used, unused } = partsOf(report);
  const width = Math.max(0, ...used.flatMap(({ rows }) => rows.map(({ name }) => name.length)));
  const text = used.flatMap(({ head, rows }) => [
    head,
    ...rows.map(({ name, met, section }) =>
      met > 0
        ? `  ✓ ${name.padEnd(width)}  ${counted(met, "time")}`
        : `  ✗ ${name.padEnd(width)}  never seen, see "${section}"`,
    ),
  ]);
  return [
    ...text,
    ...(unused.length > 0 ? ["not used:", ...unused.map(({ head }) => `  ${head}`)] : []),
    `behaviour entries consulted: ${report.behaviours.length}`,
    ...report.behaviours.map(({ key, consulted }) => `  ${key} (${consulted})`),
    "",
    coverageLine(report),
    "",
  ].join("\n");
}

function markdownCoverage(report: CoverageReport): string {
  const { used, unused } = partsOf(report);
  const tables = used.flatMap(({ head, rows }) => {
    const lines = rows.map(({ name, met, section }) => [name, met === 0 ? "never seen" : met, section]);
    return [`## ${head}`, "", ...markdownTable(["outcome", "handled", "section"], lines), ""];
  });
  const consulted = report.behaviours.map((row) => [`\`${row.key}\``, row.consulted, row.section]);
  return [
    `# ${coverageLine(report)}`,
    "",
    ...tables,
    ...(unused.length > 0 ? ["## Not used", "", ...unused.map(({ head }) => `- ${head}`), ""] : []),
    "## Behaviour entries consulted",
    "",
    ...markdownTable(["key", "times", "section"], consulted),
    "",
  ].join("\n");
}

export const COVERAGE_REPORTERS = {
  pretty: prettyCoverage,
  json: jsonText as (report: CoverageReport) => string,
  markdown: markdownCoverage,
} as const;
