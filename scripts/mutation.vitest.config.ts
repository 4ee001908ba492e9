import { defineConfig } from "vitest/config";

/** For `npm run mutation`, which names the tests to run. */
export default defineConfig({
  test: {
    include: process.env.MUTATION_TESTS?.split(" ") ?? [],
    testTimeout: 60_000,
  },
});
