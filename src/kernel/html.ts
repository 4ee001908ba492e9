/** Reports as one page that needs nothing else. */

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8885;vertical-align:top}
.bad{color:#c2410c}pre{background:#8882;padding:.6rem;overflow:auto;white-space:pre-wrap}summary{cursor:pointer}`;

export const escapedHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** @param title text; @param body HTML */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapedHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapedHtml(title)}</h1>
${body}
</body></html>
`;

/** @param heads texts; @param rows HTML of cells, `<td>` and all */
export const htmlTable = (heads: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th>${escapedHtml(head)}</th>`).join("")}</tr></thead><tbody>
${rows.map((row) => `<tr>${row}</tr>`).join("\n")}
</tbody></table>`;
