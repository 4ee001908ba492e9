import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (file: string) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url));

/** Runs an example's own tests against the source: the package's names mean its files. */
export default defineConfig({
  resolve: {
    alias: [
      { find: "messaging-sim/vitest/setup", replacement: source("adapters/vitest-setup.ts") },
      { find: "messaging-sim/vitest", replacement: source("adapters/vitest.ts") },
    ],
  },
  test: { globalSetup: [source("adapters/vitest-setup.ts")], include: ["**/*.test.js"] },
});
