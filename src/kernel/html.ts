/** Pages that need nothing else: no other file, no server. */

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8885;vertical-align:top}
.bad{color:#c2410c}pre{background:#8882;padding:.6rem;overflow:auto;white-space:pre-wrap}summary{cursor:pointer}`;

/** A text as a page shows it. */
export const escapedHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A value for a script inside of a page, which no text in it can end. */
export const scriptValue = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

interface Page {
  /** As text. */
  readonly title: string;
  /** HTML below the title. */
  readonly body: readonly string[];
  /** CSS beside that of every page. */
  readonly style?: string;
  /** Run when the page is there. */
  readonly scripts?: readonly string[];
}

export const htmlPage = ({ title, body, style = "", scripts = [] }: Page): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapedHtml(title)}</title><style>${STYLE}${style}</style></head>
<body><h1>${escapedHtml(title)}</h1>
${body.join("\n")}
${scripts.map((script) => `<script>${script.replaceAll("</script", "<\\/script")}</script>\n`).join("")}</body></html>
`;

/** A table; cells are HTML. */
export const htmlTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th>${escapedHtml(head)}</th>`).join("")}</tr></thead><tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n")}
</tbody></table>`;
