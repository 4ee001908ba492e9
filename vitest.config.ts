import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Folders whose tests leave nothing behind in their process. */
const SHARED_FOLDERS = [
  ...[
    "api",
    "behaviour",
    "client",
    "config",
    "conformance",
    "control",
    "dashboard",
    "delivery",
    "descriptions",
    "domain",
  ],
  ...["http", "kernel", "sandbox", "sandboxes", "scenarios", "wire", "world"],
];
const testsIn = (folder: string): string => `test/${folder}/**/*.test.ts`;
const SHARED = SHARED_FOLDERS.map(testsIn);
const OWN = readdirSync(join(import.meta.dirname, "test"))
  .filter((folder) => !SHARED_FOLDERS.includes(folder))
  .map(testsIn);

/** They look at the process as a whole: at its event loop, and at what it has compiled. */
const ALONE = ["test/kernel/loop-lag.test.ts", "test/kernel/matching-compiled.test.ts"];

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
        test: { name: "own process", include: [...OWN, ...ALONE] },
      },
      {
        extends: true,
        // The modules under test are loaded once for many files.
        test: { name: "shared process", include: SHARED, exclude: ALONE, isolate: false },
      },
    ],
  },
});
