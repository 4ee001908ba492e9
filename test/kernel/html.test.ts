/** Pages that need nothing else. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { escapedHtml, htmlPage, htmlTable, scriptValue } from "../../src/kernel/html.js";

it("shows every text as it is, in the page and in an attribute", () => {
  expect(escapedHtml(`<a href="?x=1&amp;y">'a' & b</a>`)).toBe(
    "&lt;a href=&quot;?x=1&amp;amp;y&quot;&gt;'a' &amp; b&lt;/a&gt;",
  );
});

it("hands every value to a script, which no text in it can end", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(scriptValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  const value = ["</script><!--", { "<b>": "<" }];
  expect(scriptValue(value)).not.toContain("<");
  expect(JSON.parse(scriptValue(value))).toEqual(value);
});

it("makes a table of its heads, which are texts, and its cells, which are HTML", () => {
  const rows = [
    ["<b>1</b>", "2"],
    ["3", "4"],
  ];
  expect(
    htmlTable(["a & b", "c"], rows),
  ).toBe(`<table><thead><tr><th>a &amp; b</th><th>c</th></tr></thead><tbody>
<tr><td><b>1</b></td><td>2</td></tr>
<tr><td>3</td><td>4</td></tr>
</tbody></table>`);
});

/** A page without the style that each has. */
const withoutStyle = (html: string) => html.replace(/(?<=<style>)body\{.+cursor:pointer\}/s, "…");

it("makes a page of a title and what stands below it", () => {
  expect(withoutStyle(htmlPage({ title: "A < B", body: ["<p>one</p>", "<p>two</p>"] }))).toBe(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A &lt; B</title><style>…</style></head>
<body><h1>A &lt; B</h1>
<p>one</p>
<p>two</p>
</body></html>
`);
});

it("adds styles and scripts, which end where they end", () => {
  const scripts = ['say("</script></script>")', "more()"];
  const page = withoutStyle(htmlPage({ title: "A", body: [], style: ".a{color:red}", scripts }));
  expect(page).toContain("<style>….a{color:red}</style>");
  expect(page.slice(page.indexOf("<body>"))).toBe(`<body><h1>A</h1>

<script>say("<\\/script><\\/script>")</script>
<script>more()</script>
</body></html>
`);
});
