import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import preact from "@preact/preset-vite";
import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";
import { defineConfig } from "vite";

/**
 * Has the browser load program and styles beside the script that asks for the first view. Styles are no stylesheet of the
 * page yet, since that script would wait for them.
 */
const preloadApp = (base: string): Plugin => ({
  name: "preload-app",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const files = Object.values(bundle);
      const programs = files.flatMap((one) =>
        one.type === "chunk" && one.name === "app" ? [one.fileName, ...one.imports] : [],
      );
      const styles = files.map(({ fileName }) => fileName).filter((name) => /\bapp-[\w-]+\.css$/.test(name));
      const link = (attrs: Record<string, string | boolean>): HtmlTagDescriptor => ({
        tag: "link",
        attrs: { ...attrs, crossorigin: true },
        injectTo: "head",
      });
      return [
        ...programs.map((name) => link({ rel: "modulepreload", href: base + name })),
        ...styles.map((name) => link({ rel: "preload", as: "style", href: base + name })),
      ];
    },
  },
});

/** Lays each asset beside itself compressed: the server sends files as they are. */
const compressAssets: Plugin = {
  name: "compress-assets",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/^assets\/.*\.(js|css)$/.test(file.fileName)) continue;
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

/** The files of the first view, and the module that each begins with. What two of them need is in the first of them. */
const FIRST_VIEW = [
  ["first", "src/main.ts"],
  ["app", "src/app.tsx"],
  ["thread-view", "src/conversation/thread-view.tsx"],
] as const;

/** Whether a module needs another one when it is loaded. */
function needs(from: string, to: string, graph: Rolldown.ChunkingContext, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (graph.getModuleInfo(from)?.importedIds ?? []).some((id) => needs(id, to, graph, seen));
}

const BASE = "/__sim/ui/";

export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), preloadApp(BASE), compressAssets],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    target: "es2023",
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What the first view needs comes in one file: connections are few, too.
        codeSplitting: {
          groups: FIRST_VIEW.map(([name, root], index) => ({
            name: (module, graph) => (needs(join(import.meta.dirname, root), module, graph) ? name : null),
            debugName: name,
            priority: FIRST_VIEW.length - index,
          })),
        },
      },
    },
    assetsInlineLimit: 0,
  },
});
