import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They look at the process as a whole, at its event loop and at what it has compiled, or have a module replaced. */
const ALONE = [
  "kernel/collect-when-quiet",
  "kernel/young-generation",
  "kernel/json-plain",
  "kernel/loop-lag",
  "kernel/matching-compiled",
  "kernel/clock",
  "kernel/clock-moves",
  "kernel/realtime",
  "kernel/steady-time",
  "persistence/writer",
  "persistence/upgrade",
].map((name) => `test/${name}.test.ts`);

/** Their tests take long for the size of the files, by which vitest orders them: begun last, one would run alone. */
const LONG = [
  "challenge/challenge",
  "examples/order-bot",
  "persistence/many",
  "persistence/disk",
  "delivery/many",
].map((name) => `/test/${name}.test.ts`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    pool: "forks",
    sequence: { sequencer: LongFirst },
    // Many files wait for others most of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // They end what hangs; a machine that is busy with other things must not look like that.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Between the others each would end a process that has the modules.
        test: { name: "own process", include: ALONE, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        // The modules under test are loaded once for many files.
        test: {
          name: "shared process",
          include: ["test/**/*.test.ts"],
          exclude: ALONE,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
