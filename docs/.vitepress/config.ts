/** The docs site: `npm run site` builds it from this folder, without the network. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { anchor } from "../../scripts/docs/markdown.js";
import { siteLinks } from "./links.js";
import { pageOf, rewrites, sectionOf } from "./pages.js";

/** Pages of the reference that users of the simulator do not need. */
const CONTRIBUTORS = ["conformance.md", "bounds.md"];

export default defineConfig({
  title: "messaging-sim",
  description: "A stateful local simulator of a customer-messaging API",
  lang: "en",
  cleanUrls: false,
  outDir: "../site",
  cacheDir: "../node_modules/.cache/vitepress",
  rewrites: rewrites(),
  // Editors find them there, as in the package.
  buildEnd: ({ outDir }) =>
    cpSync(join(import.meta.dirname, "../../schemas"), join(outDir, "schemas"), { recursive: true }),
  // The anchors that GitHub makes, since the pages are read there too.
  markdown: { anchor: { slugify: anchor }, config: siteLinks },
  themeConfig: {
    nav: [
      { text: "First test", link: "/guides/first-test" },
      { text: "Guides", link: "/guides/" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: [
      sectionOf("guides"),
      sectionOf("reference", false, CONTRIBUTORS),
      { text: "The specification", link: "/specification" },
      { text: "What is proven", link: "/proven" },
      { text: "Comparison", link: "/comparison" },
      { text: "Versions", link: "/versioning" },
      {
        text: "For contributors",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/architecture" },
          { text: "Several machines", link: "/scale" },
          ...CONTRIBUTORS.map((name) => pageOf(`reference/${name}`)),
          sectionOf("decisions", true),
        ],
      },
    ],
    outline: [2, 3],
    search: { provider: "local" },
  },
});
