/** The formats of reports. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  html,
  htmlDetails,
  htmlPage,
  htmlTable,
  markdownTable,
  scriptValue,
} from "../../src/kernel/reports.js";

it("escapes texts in elements and attributes", () => {
  const written = "&lt;a href=&quot;?x=1&amp;amp;y&quot;&gt;'a' &amp; b&lt;/a&gt;";
  const text = `<a href="?x=1&amp;y">'a' & b</a>`;
  expect(html`<p title="${text}">${[text, html`<b>${1}</b>`]}</p>`.text).toBe(
    `<p title="${written}">${written}\n<b>1</b></p>`,
  );
});

it("passes any value to a script, and no text in it can end the script", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(scriptValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  const value = ["</script><!--", { "<b>": "<" }];
  expect(scriptValue(value)).not.toContain("<");
  expect(JSON.parse(scriptValue(value))).toEqual(value);
});

it("makes a table of texts and HTML", () => {
  const rows = [
    [html`<b>1</b>`, 2],
    ["<3>", "4"],
  ];
  expect(
    htmlTable(["a & b", "c"], rows).text,
  ).toBe(`<table><thead><tr><th>a &amp; b</th><th>c</th></tr></thead><tbody>
<tr><td><b>1</b></td><td>2</td></tr>
<tr><td>&lt;3&gt;</td><td>4</td></tr>
</tbody></table>`);
});

/** A page without the common style. */
const withoutStyle = (html: string) => html.replace(/(?<=<style>)body\{.+cursor:pointer\}/s, "…");

it("makes a page from a title and its contents", () => {
  expect(
    withoutStyle(htmlPage({ title: "A < B", body: [html`<p>one</p>`, html`<p>two</p>`] })),
  ).toBe(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A &lt; B</title><style>…</style></head>
<body><h1>A &lt; B</h1>
<p>one</p>
<p>two</p>

</body></html>
`);
});

it("adds styles and scripts, which cannot be ended early", () => {
  const scripts = ['say("</script></script>")', "more()"];
  const page = withoutStyle(htmlPage({ title: "A", body: [], style: ".a{color:red}", scripts }));
  expect(page).toContain("<style>….a{color:red}</style>");
  expect(page.slice(page.indexOf("<body>"))).toBe(`<body><h1>A</h1>

<script>say("<\\/script><\\/script>")</script>
<script>more()</script>
</body></html>
`);
});

it("writes collapsible details and Markdown tables", () => {
  expect(htmlDetails("a < b", html`<p>c</p>`, true).text).toBe(
    "<details open><summary>a &lt; b</summary><p>c</p></details>",
  );
  expect(markdownTable(["a", "b"], [[1, "`c`"]])).toEqual(["| a | b |", "| - | - |", "| 1 | `c` |"]);
});
