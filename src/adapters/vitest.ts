/** vitest's `test` with a simulator: one server, one sandbox for each test. */
import { inject, type TestAPI, test as vitestTest } from "vitest";
import type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";
import { clientOf, sandboxOf, startServer } from "./fixture.js";
import type {} from "./vitest-setup.js";

export type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";

/** The fixtures, and for vitest 4 how long each lives: what lives longer than a test cannot ask for its sandbox. */
export interface SimContext extends SharedFixtures, TestFixtures {
  readonly $__worker?: SharedFixtures;
  readonly $__file?: object;
  readonly $__test?: TestFixtures;
}

/**
 * A `test` whose sandboxes start from other fixtures, behaviours, seeds or clocks than the server's own. Call it at
 * the top level of a file: vitest takes fixtures that outlive a test nowhere else.
 *
 * @example
 * const test = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
 * test("the window closes", async ({ sandbox }) => {
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.advance("25h");
 * });
 */
export function createTest(options: TestOptions = {}): SimTest {
  return withFixtures(options);
}

/** vitest's `test` with the fixtures that a test can ask for. */
export type SimTest = TestAPI<SimContext>;

/** vitest 2 takes options for such only when it knows one of them: `auto` is that, at its default. */
const OF_WORKER = { scope: "worker", auto: false } as const;

/** In the form of vitest 2, which later ones take too. Before 3.2 nothing lives longer than a test: each has its own server. */
function withFixtures(options: TestOptions): SimTest {
  const extended = vitestTest.extend<SharedFixtures & TestFixtures>({
    server: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const { server, close } = await startServer(options, inject("messagingSimUrl"));
        await use(server);
        await close();
      },
      OF_WORKER,
    ],
    sim: [({ server }, use) => use(clientOf(server, options)), OF_WORKER],
    sandbox: async ({ sim }, use) => {
      const sandbox = await sandboxOf(sim, options);
      await use(sandbox);
      await sandbox.dispose();
    },
  });
  // This form of `extend` has no type for how long a fixture lives.
  return extended as unknown as SimTest;
}

/**
 * vitest's `test` with the fixtures `sandbox` and `sim`. Tests of a file run one after the other, as vitest's own
 * do, and at the same time where they say `test.concurrent`.
 *
 * @example
 * import { test } from "messaging-sim/vitest";
 *
 * test("greets", async ({ sandbox }) => {
 *   await using bot = await startBot({ url: sandbox.url, token: sandbox.token("acme-token") });
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.waitForReply("9001", { contains: "Hello" });
 * });
 */
export const test: SimTest = createTest();
