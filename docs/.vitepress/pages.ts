/** The pages of the site, from the folders of docs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";

const DOCS = join(import.meta.dirname, "..");

/** An entry of the sidebar. */
export interface Item {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: Item[];
}

/** The title of a page: its first heading, without the marks of code. */
function titleOf(path: string): string {
  const [, title = basename(path, ".md")] = /^# (.*)$/m.exec(readFileSync(join(DOCS, path), "utf8")) ?? [];
  return title.replaceAll("`", "");
}

/** The names in a folder, in the order in which its README links to them, the rest by name. */
function namesIn(folder: string): string[] {
  const readme = join(DOCS, folder, "README.md");
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const linked = [...text.matchAll(/\]\(([\w.-]+)(?:\/README\.md)?[)#]/g)].map(([, name = ""]) => name);
  const place = (name: string) => (linked.includes(name) ? linked.indexOf(name) : linked.length);
  return readdirSync(join(DOCS, folder))
    .filter((name) => name !== "README.md" && (name.endsWith(".md") || isFolder(join(folder, name))))
    .sort()
    .sort((one, other) => place(one) - place(other));
}

const isFolder = (path: string): boolean => existsSync(join(DOCS, path, "README.md"));

/** The entry of a page. */
export const pageOf = (path: string): Item => ({
  text: titleOf(path),
  link: `/${path.replace(/\.md$/, "")}`,
});

/** A folder with its pages, without those that stand elsewhere; folders within are folded. */
export function sectionOf(folder: string, collapsed = false, elsewhere: readonly string[] = []): Item {
  const names = namesIn(folder).filter((name) => !elsewhere.includes(name));
  const items = names.map((name): Item => {
    const path = `${folder}/${name}`;
    return isFolder(path) ? sectionOf(path, true) : pageOf(path);
  });
  return { text: titleOf(`${folder}/README.md`), link: `/${folder}/`, collapsed, items };
}

/** Each README is the page of its folder. */
export const rewrites = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(DOCS, { recursive: true, encoding: "utf8" })
      .map((path) => path.split(sep).join("/"))
      .filter((path) => path.endsWith("/README.md"))
      .map((path) => [path, path.replace(/README\.md$/, "index.md")]),
  );
