import { defineConfig } from "vitest/config";

/** For `npm run mutation`, which narrows the run to the folder whose tests it asks for. */
export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    // It starts a simulator for each test: too slow to be asked about every change.
    exclude: ["test/behaviour/keys.test.ts"],
    testTimeout: 60_000,
  },
});
