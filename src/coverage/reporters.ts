/** Coverage for readers: as a table in a terminal, in Markdown, as JSON, as one HTML page. */

import { escapedHtml, htmlPage, htmlTable } from "../kernel/html.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { percentOf } from "./report.js";

/** One row of any of the tables. */
interface CoverageLine {
  readonly name: string;
  readonly met: number;
  readonly section: string;
  readonly snippet?: string | undefined;
}

/** The rows of an operation, or of all events. */
interface CoverageTable {
  readonly title: string;
  readonly lines: readonly CoverageLine[];
}

const tablesOf = ({ operations, events }: CoverageReport): CoverageTable[] => [
  ...operations.map(({ operation, outcomes }) => ({
    title: operation,
    lines: outcomes.map(({ outcome, status, ...rest }) => ({ name: `${status} ${outcome}`, ...rest })),
  })),
  {
    title: "events",
    lines: events.map(({ event, cause, legacy, ...rest }) => ({
      name: `${event} (${cause}${legacy ? ", legacy" : ""})`,
      ...rest,
    })),
  },
];

/** `coverage: 12 of 178 outcomes met, 6.7 %` */
export const coverageLine = (report: CoverageReport): string =>
  `coverage: ${report.met} of ${report.total} outcomes met, ${percentOf(report).toFixed(1)} %`;

/** One page that needs nothing else. */
function htmlReport(report: CoverageReport): string {
  const tables = tablesOf(report).flatMap(({ title, lines }) => [
    `<h2>${escapedHtml(title)}</h2>`,
    htmlTable(["outcome", "met", "section"], lines.map(cellsOf)),
  ]);
  const consulted = report.behaviours.map(({ key, consulted, section }) => [
    `<code>${escapedHtml(key)}</code>`,
    String(consulted),
    escapedHtml(section),
  ]);
  return htmlPage({
    title: coverageLine(report),
    body: [
      ...tables,
      "<h2>Behaviour entries that were consulted</h2>",
      htmlTable(["key", "times", "section"], consulted),
    ],
  });
}

function cellsOf({ name, met, section, snippet }: CoverageLine): string[] {
  const shown = met === 0 ? '<span class="bad">never</span>' : String(met);
  const how =
    snippet === undefined
      ? escapedHtml(name)
      : `<details><summary>${escapedHtml(name)}</summary><pre>${escapedHtml(snippet)}</pre></details>`;
  return [how, shown, escapedHtml(section)];
}

const ratio = ({ lines }: CoverageTable): string =>
  `${lines.filter(({ met }) => met > 0).length} of ${lines.length}`;

/** A table for a terminal: operations that were never called are one line each. */
function prettyCoverage(report: CoverageReport): string {
  const tables = tablesOf(report);
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
  const tables = tablesOf(report).flatMap((table) => [
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
  json: (report: CoverageReport) => `${JSON.stringify(report, null, 2)}\n`,
  markdown: markdownCoverage,
  html: htmlReport,
} as const;
