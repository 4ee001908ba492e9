import { plural } from "../lib/format";
import { type Block, newestWithin, type Shared, type SharedPart } from "./shared";

/** How long the turns in a file are together at most, characters. */
const MAX_TURNS = 4_000_000;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "");

// Nothing is loaded and nothing runs, whatever the texts hold.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `:root{color-scheme:light dark;--muted:light-dark(#56626d,#a0acb8);--line:light-dark(#dfe4e7,#2a323d);--surface:light-dark(#fff,#1d242d)}
body{max-width:52rem;margin:2rem auto;padding:0 1rem;background:light-dark(#eef1f2,#11161b);color:light-dark(#18212a,#e7ebef);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{margin-top:2rem;border-top:1px dashed var(--line);padding-top:1rem;font-size:1rem}p{margin:.3rem 0}
.facts,.quiet>p{color:var(--muted)}
.part{margin:.6rem 0;padding:.5rem .8rem;border-inline-start:3px solid var(--line)}
.customer,.employee,.internal{border:1px solid var(--line);border-radius:10px;background:var(--surface)}
.employee,.internal{margin-inline-start:3rem}.employee{background:light-dark(#dcf1ee,#12403b)}.internal{border-style:dashed}
.customer .head,.employee .head,.internal .head{font-size:12px}
.bad{border-color:light-dark(#b3261e,#ff9a90)}.bad .head{color:light-dark(#b3261e,#ff9a90)}
.good{border-color:light-dark(#17693c,#74d69b)}.held,.warn,.waiting{border-color:light-dark(#8a5300,#f2c168)}
.text{white-space:pre-wrap}
.due{padding:.6rem .8rem;border:1px solid light-dark(#8a5300,#f2c168);border-radius:8px}
details{font-size:13px}summary{cursor:pointer}
pre{margin:.3rem 0;padding:.6rem;border:1px solid var(--line);border-radius:6px;background:var(--surface);white-space:pre-wrap;font-size:12px}`;

const blockOf = ([label, text]: Block): string =>
  `<details><summary>${escaped(label)}</summary><pre dir="auto">${escaped(text)}</pre></details>`;

const partOf = ({ tone, head, text, blocks }: SharedPart): string =>
  `<div class="part ${tone}"><p class="head" dir="auto">${escaped(head)}</p>${
    text === "" ? "" : `<p class="text" dir="auto">${escaped(text)}</p>`
  }${blocks.map(blockOf).join("")}</div>`;

/** What is shared as a page that opens from a file: no script, no request, nothing that is not in it. */
export function htmlOf({ title, facts, turns, due, test }: Shared): string {
  const { kept, left } = newestWithin(
    turns.map((parts) => parts.map(partOf).join("\n")),
    MAX_TURNS,
  );
  const omitted = left === 0 ? "" : `<p class="facts">${plural(left, "earlier turn")} left out.</p>`;
  const sections = kept.map((html, at) => `<section><h2>Turn ${left + at + 1}</h2>\n${html}</section>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">${escaped(title)}</h1>
<p class="facts" dir="auto">${escaped(facts)}</p>
${omitted}
${sections.join("\n")}
${due === "" ? "" : `<p class="due">${escaped(due)}</p>`}
${test === "" ? "" : `<h2>Test</h2>\n<pre>${escaped(test)}</pre>`}
</main>
</body>
</html>
`;
}
