import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/__sim/ui/",
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    target: "es2023",
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
