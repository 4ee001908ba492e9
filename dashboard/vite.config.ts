import { brotliCompressSync, gzipSync } from "node:zlib";
import preact from "@preact/preset-vite";
import type { Plugin } from "vite";
import { defineConfig } from "vite";

/** Inlines the styles: on a slow network they arrive while the browser waits for the scripts. */
const inlineStyles: Plugin = {
  name: "inline-styles",
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle = {} }) => {
      const styles = Object.values(bundle).flatMap((one) =>
        one.type === "asset" && one.fileName.endsWith(".css") && html.includes(one.fileName) ? [one] : [],
      );
      for (const { fileName } of styles) delete bundle[fileName];
      const children = styles.map(({ source }) => source).join("");
      return {
        html: html.replace(/<link rel="stylesheet"[^>]*>/, ""),
        tags: [{ tag: "style", children, injectTo: "head" }],
      };
    },
  },
};

/** Lays each asset beside itself compressed: the server sends files as they are. */
const compressAssets: Plugin = {
  name: "compress-assets",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/^(assets\/.*\.(js|css)|index\.html)$/.test(file.fileName)) continue;
        const source = file.type === "chunk" ? file.code : file.source;
        this.emitFile({ type: "asset", fileName: `${file.fileName}.br`, source: brotliCompressSync(source) });
        this.emitFile({
          type: "asset",
          fileName: `${file.fileName}.gz`,
          source: gzipSync(source, { level: 9 }),
        });
      }
    },
  },
};

/** The files of the first view, and the module each starts with. What two of them need is in the earlier one. */
const FIRST_VIEW = [
  ["app", /\/src\/main\.tsx$/],
  ["thread-view", /\/conversation\/thread-view\.tsx$/],
  ["requests-panel", /\/inspector\/requests-panel\.tsx$/],
] as const;

export default defineConfig({
  root: import.meta.dirname,
  base: "/__sim/ui/",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), inlineStyles, compressAssets],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    target: "es2023",
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Connections are few, so the first view comes in few files: a group includes what its module imports.
        codeSplitting: {
          groups: FIRST_VIEW.map(([name, test], at) => ({ name, test, priority: FIRST_VIEW.length - at })),
        },
      },
    },
    assetsInlineLimit: 0,
  },
});
