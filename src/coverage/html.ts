import type { CoverageReport } from "../sandbox/coverage.js";
import type { CoverageLine } from "./tables.js";
import { coverageLine, tablesOf } from "./tables.js";

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8885;vertical-align:top}
.never{color:#c2410c}pre{background:#8882;padding:.6rem;overflow:auto}summary{cursor:pointer}`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** One page that needs nothing else. */
export function htmlReport(report: CoverageReport): string {
  const title = escaped(coverageLine(report));
  const tables = tablesOf(report).map(
    ({ title: name, lines }) => `<h2>${escaped(name)}</h2>
<table><thead><tr><th>outcome</th><th>met</th><th>section</th></tr></thead><tbody>
${lines.map(rowOf).join("\n")}
</tbody></table>`,
  );
  const consulted = report.behaviours.map(
    ({ key, consulted, section }) =>
      `<tr><td><code>${escaped(key)}</code></td><td>${consulted}</td><td>${escaped(section)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1>
${tables.join("\n")}
<h2>Behaviour entries that were consulted</h2>
<table><thead><tr><th>key</th><th>times</th><th>section</th></tr></thead><tbody>
${consulted.join("\n")}
</tbody></table>
</body></html>
`;
}

function rowOf({ name, met, section, snippet }: CoverageLine): string {
  const shown = met === 0 ? '<td class="never">never</td>' : `<td>${met}</td>`;
  const how =
    snippet === undefined
      ? escaped(name)
      : `<details><summary>${escaped(name)}</summary><pre>${escaped(snippet)}</pre></details>`;
  return `<tr><td>${how}</td>${shown}<td>${escaped(section)}</td></tr>`;
}
