import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (file: string) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url));

/** Runs an example's own tests against the source: the package's names mean its files. */
export default defineConfig({
  resolve: {
    alias: [
      { find: "messaging-sim/vitest/setup", replacement: source("client/vitest-setup.ts") },
      { find: "messaging-sim/vitest", replacement: source("client/vitest.ts") },
    ],
  },
  test: { globalSetup: [source("client/vitest-setup.ts")], include: ["**/*.test.js"] },
});
