/** The formats of reports. */
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
  const value = ["</script><!--", { "<b>": "<" }, null, 1.5];
  expect(scriptValue(value)).not.toContain("<");
  expect(JSON.parse(scriptValue(value))).toEqual(value);
});

it("makes a table of texts and HTML", () => {
  const { text } = htmlTable(
    ["a & b", "c"],
    [
      [html`<b>1</b>`, 2],
      ["<3>", "4"],
    ],
  );
  expect(text).toBe(`<table><thead><tr><th>a &amp; b</th><th>c</th></tr></thead><tbody>
<tr><td><b>1</b></td><td>2</td></tr>
<tr><td>&lt;3&gt;</td><td>4</td></tr>
</tbody></table>`);
});

it("makes a page of a title, contents, style and scripts, which cannot be ended early", () => {
  const scripts = ['say("</script></script>")', "more()"];
  const body = [html`<p>one</p>`, html`<p>two</p>`];
  const page = htmlPage({ title: "A < B", body, style: ".a{color:red}", scripts });
  // Without the common style.
  expect(page.replace(/(?<=<style>)body\{.+cursor:pointer\}/s, "…")).toBe(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A &lt; B</title><style>….a{color:red}</style></head>
<body><h1>A &lt; B</h1>
<p>one</p>
<p>two</p>
<script>say("<\\/script><\\/script>")</script>
<script>more()</script>
</body></html>
`);
  expect(htmlPage({ title: "A", body: [] })).toMatch(/cursor:pointer\}<\/style>.*<h1>A<\/h1>\n\n\n<\/body>/s);
});

it("writes collapsible details and Markdown tables", () => {
  expect(htmlDetails("a < b", html`<p>c</p>`, true).text).toBe(
    "<details open><summary>a &lt; b</summary><p>c</p></details>",
  );
  expect(markdownTable(["a", "b"], [[1, "`c`"]])).toEqual(["| a | b |", "| - | - |", "| 1 | `c` |"]);
});
