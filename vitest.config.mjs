// @ts-check
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

/**
 * Which command runs a test: the suffix of its file says so, and each command also runs what those before it run. `npm run check`
 * runs what starts no process, `npm test` a few processes and a browser, `npm run test:all` matrices and what takes long.
 */
export const LEVELS = /** @type {const} */ ({
  check: ".test.ts",
  gate: ".gate.test.ts",
  all: ".all.test.ts",
});

/** @type {Readonly<Record<string, number>>} For tests and hooks, ms: those of the later commands install, build and start programs. */
const TIMEOUTS = { check: 60_000, gate: 240_000, all: 240_000 };

/** Files of the later commands first: they take longest, and one that starts last would run alone. */
class LongestFirst extends BaseSequencer {
  /** @override @param {import("vitest/node").TestSpecification[]} files */
  async sort(files) {
    const names = Object.keys(LEVELS);
    const level = (/** @type {import("vitest/node").TestSpecification} */ file) =>
      names.indexOf(file.project.name);
    return (await super.sort(files)).sort((a, b) => level(b) - level(a));
  }
}

const suffixes = Object.values(LEVELS);

export default defineConfig({
  test: {
    pool: "forks",
    // The modules under test are loaded once for many files.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Many files wait for others most of the time.
    maxWorkers: 2 * availableParallelism(),
    expect: { poll: { timeout: 20_000 } },
    projects: Object.entries(LEVELS).map(([name, suffix]) => ({
      extends: true,
      test: {
        name,
        // These bounds end what hangs; a busy machine must not look like that.
        testTimeout: TIMEOUTS[name],
        hookTimeout: TIMEOUTS[name],
        include: [`test/**/*${suffix}`],
        exclude: suffixes.filter((other) => other.length > suffix.length).map((other) => `test/**/*${other}`),
      },
    })),
  },
});
