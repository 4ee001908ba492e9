/** The docs site: what `npm run site` builds of the pages, and what it refuses. */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const DOCS = join(ROOT, "docs");
const VITEPRESS = join(ROOT, "node_modules", "vitepress", "bin", "vitepress.js");
const SLOW = 120_000;

/** Beside the packages that the build loads. */
let folder: string;
beforeAll(() => {
  mkdirSync(join(ROOT, "node_modules", ".cache"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "node_modules", ".cache", "site-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = (docs: string, out: string) =>
  run(process.execPath, [VITEPRESS, "build", docs, "--outDir", out], { cwd: ROOT });

const filesIn = (top: string, ending: string): string[] =>
  readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(ending));

describe("the site", () => {
  it("has every page, each linked in the sidebar, and loads nothing from other servers", {
    timeout: SLOW,
  }, async () => {
    const site = join(folder, "site");
    await run(process.execPath, [join(ROOT, "scripts", "run.mjs"), "docs", "site"], { cwd: ROOT });
    await build(DOCS, site);
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
    expect(text("index.html")).toMatch(/<img[^>]*alt="The dashboard[^"]*"/);
  });

  it.each(["no-such-guide.md", "../../no-such-file.yaml"])(
    "is not built with a dangling link to %s",
    { timeout: SLOW },
    async (wrong) => {
      const project = mkdtempSync(join(folder, "project-"));
      const docs = join(project, "docs");
      const needed = ["docs/.vitepress", "docs/screenshots", "scripts/docs/markdown.ts", "package.json"];
      for (const path of needed) cpSync(join(ROOT, path), join(project, path), { recursive: true });
      for (const section of ["guides", "reference", "decisions"]) {
        mkdirSync(join(docs, section));
        writeFileSync(join(docs, section, "README.md"), `# ${section}\n`);
      }
      for (const name of readdirSync(join(DOCS, "guides")))
        writeFileSync(join(docs, "guides", name), `# ${name}\n`);
      const links = ["getting-it.md", wrong].map((link) => `[There](${link})\n`);
      writeFileSync(join(docs, "guides", "first-test.md"), `# First\n\n${links.join("\n")}`);
      const { stdout, stderr } = await build(docs, join(project, "site")).then(
        () => Promise.reject(new Error("It was built")),
        (failed: { stdout: string; stderr: string }) => failed,
      );
      expect(existsSync(join(project, "site", "guides", "first-test.html"))).toBe(false);
      expect(stdout + stderr).toContain(wrong.replace(/\.md$/, ""));
      expect(stdout + stderr).not.toContain("getting-it");
    },
  );
});
