import { escapedHtml, htmlPage, htmlTable } from "../kernel/html.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import type { CoverageLine } from "./tables.js";
import { coverageLine, tablesOf } from "./tables.js";

/** One page that needs nothing else. */
export function htmlReport(report: CoverageReport): string {
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
