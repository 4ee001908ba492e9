/** vitest's `test` with a simulator: one server, and a sandbox for each test. */
import { type TestAPI, test as vitestTest } from "vitest";
import type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";
import { fixturesOf } from "./fixture.js";

export type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";

/** The fixtures, and for vitest 4 their scopes: a fixture that outlives a test cannot use its sandbox. */
export interface SimContext extends SharedFixtures, TestFixtures {
  readonly $__worker?: SharedFixtures;
  readonly $__file?: object;
  readonly $__test?: TestFixtures;
}

/** vitest's `test` with the fixtures. */
export type SimTest = TestAPI<SimContext>;

/**
 * A `test` whose sandboxes start with other fixtures, behaviour, seed or clock than the server's. Call it at the top level of
 * a file: vitest requires that for fixtures that outlive a test.
 *
 * @example
 * const test = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
 * test("the window closes", async ({ sandbox }) => {
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.advance("25h");
 * });
 */
export function createTest(options: TestOptions = {}): SimTest {
  // Before 3.2 no fixture outlives a test: each has its own server. This overload of `extend` has no type for scopes.
  return vitestTest.extend(fixturesOf(options) as never) as unknown as SimTest;
}

/**
 * vitest's `test` with the fixtures `sandbox` and `sim`. The tests of a file run one after the other, as usual in vitest, or
 * concurrently with `test.concurrent`.
 *
 * @example
 * import { test } from "messaging-sim/vitest";
 *
 * test("greets", async ({ sandbox }) => {
 *   const bot = await startBot({ api: sandbox.url, token: sandbox.token("acme-token") });
 *   await sandbox.connect(bot.url);
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.waitForReply("9001", { contains: "Hello" });
 * });
 */
export const test: SimTest = createTest();
