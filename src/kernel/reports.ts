/** How reports are written: as JSON, as Markdown tables, as HTML pages that need no other file and no server. */
import { printableLines } from "./printable.js";

export const jsonText = (report: unknown): string => printableLines(`${JSON.stringify(report, null, 2)}\n`);

export const markdownTable = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string[] =>
  [heads, heads.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);

class Html {
  constructor(readonly text: string) {}
}
export type Content = string | number | undefined | Html | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function textOf(content: Content): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(textOf).join("\n");
  return String(content ?? "").replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * HTML with everything that is filled in escaped, HTML aside.
 *
 * @example html`<p class="bad">${message}</p>`
 */
export const html = (parts: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  new Html(parts.map((part, index) => part + textOf(contents[index])).join(""));

export const htmlTable = (heads: readonly string[], rows: readonly (readonly Content[])[]): Html =>
  html`<table><thead>${row(heads.map((head) => html`<th>${head}</th>`))}</thead><tbody>
${rows.map((cells) => row(cells.map((cell) => html`<td>${cell}</td>`)))}
</tbody></table>`;

const row = (cells: readonly Html[]): Html => new Html(`<tr>${cells.map(textOf).join("")}</tr>`);

export const htmlDetails = (summary: Content, content: Content, isOpen = false): Html =>
  html`<details${isOpen ? new Html(" open") : ""}><summary>${summary}</summary>${content}</details>`;

interface Page {
  readonly title: string;
  readonly body: readonly Content[];
  readonly style?: string;
  readonly scripts?: readonly string[];
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #8885;vertical-align:top}
.bad{color:#c2410c}pre{background:#8882;padding:.6rem;overflow:auto;white-space:pre-wrap}summary{cursor:pointer}`;

export const htmlPage = ({ title, body, style = "", scripts = [] }: Page): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${new Html(STYLE + style)}</style></head>
<body><h1>${title}</h1>
${body}
${scripts.map((script) => new Html(`<script>${script.replaceAll("</script", "<\\/script")}</script>`))}
</body></html>
`.text;
