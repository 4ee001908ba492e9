import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** They look at the process as a whole, at its event loop and at what it has compiled, or have a module replaced. */
const ALONE = [
  "kernel/collect-when-quiet",
  "kernel/young-generation",
  "kernel/json-plain",
  "kernel/loop-lag",
  "kernel/matching-compiled",
  "persistence/upgrade",
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    pool: "forks",
    // Many files wait for others most of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // They end what hangs; a machine that is busy with other things must not look like that.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "own process", include: ALONE },
      },
      {
        extends: true,
        // The modules under test are loaded once for many files.
        test: {
          name: "shared process",
          include: ["test/**/*.test.ts"],
          exclude: ALONE,
          isolate: false,
        },
      },
    ],
  },
});
