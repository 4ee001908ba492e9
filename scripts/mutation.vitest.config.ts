import { defineConfig } from "vitest/config";

/** For `npm run mutation`, which narrows the run to the folder whose tests it asks for. */
export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    // They call a simulator: too slow to be asked about every change.
    exclude: ["keys", "settled"].map((name) => `test/behaviour/${name}.test.ts`),
    testTimeout: 60_000,
  },
});
