import { defineConfig } from "vitest/config";

/** What a user of the fixture writes: one server for the whole run. */
export default defineConfig({
  test: {
    include: ["**/*.case.ts"],
    dir: ".",
    globalSetup: ["../../../src/test-runners/vitest-setup.ts"],
    pool: "forks",
    fileParallelism: true,
  },
});
