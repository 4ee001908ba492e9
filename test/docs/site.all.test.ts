/** The docs site: what `npm run site` builds of the pages. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const DOCS = join(ROOT, "docs");
const VITEPRESS = join(ROOT, "node_modules", "vitepress", "bin", "vitepress.js");

const filesIn = (top: string, ending: string): string[] =>
  readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(ending));

it("the site has every page, each linked in the sidebar, and loads nothing from other servers", async () => {
  // Beside the packages that the build loads.
  const cache = join(ROOT, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const site = mkdtempSync(join(cache, "site-"));
  onTestFinished(() => rmSync(site, { recursive: true, force: true }));
  await run(process.execPath, [join(ROOT, "scripts", "run.mjs"), "docs", "site"], { cwd: ROOT });
  await run(process.execPath, [VITEPRESS, "build", DOCS, "--outDir", site], { cwd: ROOT });
  const pages = filesIn(DOCS, ".md").map((path) =>
    path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html"),
  );
  expect(pages.length).toBeGreaterThan(40);
  expect(filesIn(site, ".html").sort()).toEqual([...pages, "404.html"].sort());
  const text = (path: string) => readFileSync(join(site, path), "utf8");
  const sidebar = text("guides/first-test.html");
  for (const page of pages.filter((path) => path !== "index.html"))
    expect(sidebar).toContain(`href="/${page.replace(/(^|\/)index\.html$/, "$1")}"`);
  const loaded = /<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\/|@import|url\((?:https?:)?\/\//;
  for (const path of [...filesIn(site, ".html"), ...filesIn(site, ".css")])
    expect(text(path), path).not.toMatch(loaded);
  for (const name of readdirSync(join(ROOT, "schemas")))
    expect(text(`schemas/${name}`), name).toBe(readFileSync(join(ROOT, "schemas", name), "utf8"));
  expect(text("index.html")).toMatch(/<img[^>]*alt="The dashboard[^"]*"/);
});
