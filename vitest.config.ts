import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // One process per file: files start servers and signal handlers of their own. Many of them wait for others most of the time.
    pool: "forks",
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
