import { defineConfig } from "vitest/config";

/** For `npm run mutation`, which narrows the run to the folder whose tests it asks for. */
export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    // They start a simulator for each test: too slow to be asked about every change.
    exclude: ["keys", "decided", "settled", "alternatives-shown"].map(
      (name) => `test/behaviour/${name}.test.ts`,
    ),
    testTimeout: 60_000,
  },
});
