/** Coverage for readers: as a table in a terminal, in Markdown, as JSON, as one HTML page. */
import { printableIn, printableLines } from "../kernel/printable.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { htmlReport } from "./html.js";
import type { CoverageTable } from "./tables.js";
import { coverageLine, tablesOf } from "./tables.js";

const ratio = ({ lines }: CoverageTable): string =>
  `${lines.filter(({ met }) => met > 0).length} of ${lines.length}`;

/** A table for a terminal: operations that were never called are one line each. */
function prettyCoverage(report: CoverageReport): string {
  const tables = tablesOf(printableIn(report));
  const width = Math.max(...tables.flatMap(({ lines }) => lines.map(({ name }) => name.length)));
  const text = tables.flatMap((table) => {
    const head = `${table.title}: ${ratio(table)}`;
    if (table.lines.every(({ met }) => met === 0)) return [`${head}: never met`];
    const lines = table.lines.map(({ name, met, section }) =>
      met > 0
        ? `  ✓ ${name.padEnd(width)}  ${met} times`
        : `  ✗ ${name.padEnd(width)}  never, see "${section}"`,
    );
    return [head, ...lines];
  });
  const consulted = report.behaviours.map(({ key, consulted }) => `  ${key} (${consulted})`);
  return [
    ...text,
    `behaviour entries consulted: ${consulted.length}`,
    ...consulted,
    "",
    coverageLine(report),
    "",
  ].join("\n");
}

/** Markdown, with a scenario for each row that was never met. */
function markdownCoverage(report: CoverageReport): string {
  const tables = tablesOf(printableIn(report)).flatMap((table) => [
    `## ${table.title}: ${ratio(table)}`,
    "",
    "| outcome | met | section |",
    "|---|---|---|",
    ...table.lines.map(({ name, met, section }) => `| ${name} | ${met === 0 ? "never" : met} | ${section} |`),
    "",
    ...table.lines.flatMap(({ name, snippet }) =>
      snippet === undefined ? [] : [`How to meet ${name}:`, "", "```yaml", snippet.trimEnd(), "```", ""],
    ),
  ]);
  const consulted = report.behaviours.map(
    ({ key, consulted, section }) => `| \`${key}\` | ${consulted} | ${section} |`,
  );
  return [
    `# ${coverageLine(report)}`,
    "",
    ...tables,
    "## Behaviour entries that were consulted",
    "",
    "| key | times | section |",
    "|---|---|---|",
    ...consulted,
    "",
  ].join("\n");
}

export const COVERAGE_REPORTERS = {
  pretty: prettyCoverage,
  json: (report: CoverageReport) => printableLines(`${JSON.stringify(report, null, 2)}\n`),
  markdown: markdownCoverage,
  html: htmlReport,
} as const;
