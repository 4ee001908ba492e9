/** The reference: it is current, its links work, and its examples do what they show. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { expect, it } from "vitest";
import { ENTRIES, unexplained } from "../../scripts/docs/library.js";
import { anchor } from "../../scripts/docs/markdown.js";
import { sitePages, WRITTEN_FOLDERS, writtenFiles } from "../../scripts/docs/pages.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { startSimulator } from "../support/simulator.js";
import { ROOT, textOf } from "./fences.js";

const FOLDER = "docs/reference/";
/** The anchor of a repeated heading ends with a number. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""], index, all) => {
    const before = all.slice(0, index).filter(([, other = ""]) => anchor(other) === anchor(heading)).length;
    return before === 0 ? anchor(heading) : `${anchor(heading)}-${before}`;
  });

/** The committed files, and the pages that only the site has. */
const built = sitePages();
const files = new Map([...(await writtenFiles()), ...built]);
/** The pages of the reference, by their paths in its folder. */
const pages = new Map(
  [...files]
    .filter(([path]) => path.startsWith(FOLDER))
    .map(([path, text]) => [path.slice(FOLDER.length), text] as const),
);

it("the reference is current, as are the schemas and the table of layers: `npm run docs` writes them", () => {
  const there = WRITTEN_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(md|json)$/.test(path))
      .map((path) => `${folder}/${path.split(sep).join("/")}`),
  );
  expect([...files.keys()]).toEqual(expect.arrayContaining(there));
  const stale = [...files].filter(
    ([path, text]) => !built.has(path) && readFileSync(join(ROOT, path), "utf8") !== text,
  );
  expect(stale.map(([path]) => path)).toEqual([]);
});

it("the reference links only to existing pages and headings, as do all other pages", () => {
  const written = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => `docs/${path.split(sep).join("/")}`)
    .filter((path) => path.endsWith(".md") && !path.startsWith(FOLDER));
  const linking = [
    ...[...pages].map(([path, text]) => ({ page: FOLDER + path, text })),
    ...["README.md", "CONTRIBUTING.md", ...written].map((page) => ({ page, text: textOf(page) })),
  ];
  const links = linking.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = ""]) => ({ page, target })),
  );
  expect(links.length).toBeGreaterThan(40);
  for (const { page, target } of links) {
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? page : normalize(join(dirname(page), file));
    expect(files.has(path) || existsSync(join(ROOT, path)), `${page}: ${target}`).toBe(true);
    if (anchor !== undefined)
      expect(anchorsOf(files.get(path) ?? textOf(path)), `${page}: ${target}`).toContain(anchor);
  }
});

it("the reference has no trace of a missing value", () => {
  for (const [path, text] of pages) {
    expect(text, path).not.toMatch(/\[object Object\]|\bNaN\b|^false$/m);
    // Types of the library may contain it.
    if (path !== "client.md" && !path.startsWith("library/")) expect(text, path).not.toMatch(/\bundefined\b/);
    for (const line of text.split("\n").filter((line) => line.startsWith("|")))
      expect(line, path).toMatch(/\|$/);
  }
});

it("the reference has a page for each entry point of the package, and documents everything exported", () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const names = Object.keys(exports).filter((key) => key !== "./package.json");
  expect(ENTRIES.map(({ name }) => name)).toEqual(names.map((key) => key.replace(".", "messaging-sim")));
  for (const { page } of ENTRIES) expect([...pages.keys()]).toContain(`library/${page}`);
  expect(unexplained()).toEqual([]);
});

it.each(OPERATIONS.map(({ id }) => id))("the example of %s does what its page says", async (id) => {
  const text = pages.get(`api/${id}.md`) ?? "";
  const command = /```sh\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
  const shown = /It returns (\d+):\n\n```json\n([\s\S]*?)\n```/.exec(text);
  const target = /http:\/\/127\.0\.0\.1:4020([^'\s]*)/.exec(command)?.[1];
  const method = /-X (\w+)/.exec(command)?.[1] ?? "GET";
  const body = /-d '(.*)'$/m.exec(command)?.[1];
  const { api } = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const answer = await api(`${method} ${target}`, body);
  expect(answer.status).toBe(Number(shown?.[1]));
  expect(answer.body).toEqual(JSON.parse(shown?.[2] ?? ""));
});
