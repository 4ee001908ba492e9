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

/** @typedef {keyof typeof LEVELS} Level */

const names = /** @type {Level[]} */ (Object.keys(LEVELS));

/** Files of the later commands first: they take longest, and one that starts last would run alone. */
class LongestFirst extends BaseSequencer {
  /** @override @param {import("vitest/node").TestSpecification[]} files */
  async sort(files) {
    const level = (/** @type {import("vitest/node").TestSpecification} */ { moduleId }) =>
      names.findLastIndex((name) => moduleId.endsWith(LEVELS[name]));
    return (await super.sort(files)).sort((a, b) => level(b) - level(a));
  }
}

/** @satisfies {import("vitest/node").InlineConfig} */
const common = {
  pool: "forks",
  // The modules under test are loaded once for many files.
  isolate: false,
  sequence: { sequencer: LongestFirst },
  // Some four files at a time wait for others, such as for the end of a lease.
  maxWorkers: availableParallelism() + 4,
  // These bounds end what hangs; a busy machine must not look like that.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
};

/** @param {readonly Level[]} levels */
function filesOf(levels) {
  const others = names.filter((name) => !levels.includes(name) && name !== "check");
  return {
    include: levels.map((level) => `test/**/*${LEVELS[level]}`),
    exclude: others.map((name) => `test/**/*${LEVELS[name]}`),
  };
}

/**
 * The configuration of a run of several levels: one project, so that its workers load the modules under test once.
 * @param {readonly Level[]} levels
 */
export const together = (levels) => defineConfig({ test: { ...common, ...filesOf(levels) } });

export default defineConfig({
  test: {
    ...common,
    projects: names.map((name) => ({ extends: true, test: { name, ...filesOf([name]) } })),
  },
});
