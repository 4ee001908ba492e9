/** Links as files have them, as the site needs them. */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { MarkdownRenderer } from "vitepress";

const ROOT = join(import.meta.dirname, "..", "..");
const DOCS = join(ROOT, "docs");

/** Where the project's files are read on the web; undefined while package.json names no repository. */
function filesAddress(): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const url: string | undefined = typeof repository === "string" ? repository : repository?.url;
  return url === undefined ? undefined : `${url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main`;
}

/**
 * Leads links to a README to the page of its folder, and links that leave `docs` to the repository; where none is known,
 * their text stays without a link. Whether the files exist is checked by test/docs/reference.test.ts, for every page.
 */
export function siteLinks(md: MarkdownRenderer): void {
  const address = filesAddress();
  md.core.ruler.push("site-links", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href === null || /^(\w+:|#|\/)/.test(href)) continue;
      const [path = ""] = href.split("#");
      const file = resolve(dirname(env.realPath ?? env.path), decodeURI(path));
      if (!relative(DOCS, file).startsWith("..")) {
        token.attrSet("href", href.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md"));
        continue;
      }
      if (address === undefined) token.attrs = [["class", "outside"]];
      else token.attrSet("href", `${address}/${relative(ROOT, file)}`);
    }
  });
}
