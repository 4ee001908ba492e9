import { escapedHtml, htmlPage, htmlTable } from "../kernel/html.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import type { CoverageLine } from "./tables.js";
import { coverageLine, tablesOf } from "./tables.js";

/** One page that needs nothing else. */
export function htmlReport(report: CoverageReport): string {
  const tables = tablesOf(report).map(
    ({ title, lines }) =>
      `<h2>${escapedHtml(title)}</h2>\n${htmlTable(["outcome", "met", "section"], lines.map(cellsOf))}`,
  );
  const consulted = report.behaviours.map(
    ({ key, consulted, section }) =>
      `<td><code>${escapedHtml(key)}</code></td><td>${consulted}</td><td>${escapedHtml(section)}</td>`,
  );
  return htmlPage(
    coverageLine(report),
    `${tables.join("\n")}
<h2>Behaviour entries that were consulted</h2>
${htmlTable(["key", "times", "section"], consulted)}`,
  );
}

function cellsOf({ name, met, section, snippet }: CoverageLine): string {
  const shown = met === 0 ? '<td class="bad">never</td>' : `<td>${met}</td>`;
  const how =
    snippet === undefined
      ? escapedHtml(name)
      : `<details><summary>${escapedHtml(name)}</summary><pre>${escapedHtml(snippet)}</pre></details>`;
  return `<td>${how}</td>${shown}<td>${escapedHtml(section)}</td>`;
}
