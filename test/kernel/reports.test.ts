/** The formats of reports. */
import { expect, it } from "vitest";
import { html, htmlDetails, htmlPage, htmlTable, markdownTable } from "../../src/kernel/reports.js";

it("escapes texts in elements and attributes", () => {
  const written = "&lt;a href=&quot;?x=1&amp;amp;y&quot;&gt;'a' &amp; b&lt;/a&gt;";
  const text = `<a href="?x=1&amp;y">'a' & b</a>`;
  expect(html`<p title="${text}">${[text, html`<b>${1}</b>`]}</p>`.text).toBe(
    `<p title="${written}">${written}\n<b>1</b></p>`,
  );
});

it("makes a table of texts and HTML", () => {
  expect(htmlTable(["a & b"], [[html`<b>1</b>`, 2], ["<3>"]]).text).toBe(
    `<table><thead><tr><th>a &amp; b</th></tr></thead><tbody>
<tr><td><b>1</b></td><td>2</td></tr>
<tr><td>&lt;3&gt;</td></tr>
</tbody></table>`,
  );
});

it("makes a page with a style and scripts, which cannot be ended early", () => {
  const page = htmlPage({
    title: "A",
    body: [],
    style: ".a{}",
    scripts: ['say("</script></script>")', "b()"],
  });
  const scripts = '<script>say("<\\/script><\\/script>")</script>\n<script>b()</script>';
  expect(page).toMatch(/cursor:pointer\}\.a\{\}<\/style>/);
  expect(page).toContain(`<body><h1>A</h1>\n\n${scripts}\n</body>`);
});

it("writes collapsible details and Markdown tables", () => {
  expect(htmlDetails("a < b", html`<p>c</p>`, true).text).toBe(
    "<details open><summary>a &lt; b</summary><p>c</p></details>",
  );
  expect(markdownTable(["a", "b"], [[1, "`c`"]])).toEqual(["| a | b |", "| - | - |", "| 1 | `c` |"]);
});
