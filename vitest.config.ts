import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // One process per file: files start servers and signal handlers of their own. Many of them wait for others most of the time.
    pool: "forks",
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // They end what hangs; a machine that is busy with other things must not look like that.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
