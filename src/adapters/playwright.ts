/** Playwright's `test` with a simulator: one server for each worker, and a sandbox for each test. */
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from "@playwright/test";
import { test as playwrightTest } from "@playwright/test";
import type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";
import { fixturesOf } from "./fixture.js";

export type { SharedFixtures, TestFixtures, TestOptions } from "./fixture.js";

/** Playwright's `test` with the fixtures, beside its own such as `page`. */
export type SimTest = TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & TestFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & SharedFixtures
>;

/**
 * A `test` whose sandboxes start with other fixtures, behaviour, seed or clock than the server's.
 *
 * @example
 * const test = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
 * test("the page shows that the window has closed", async ({ sandbox, page }) => {
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.advance("25h");
 * });
 */
export function createTest(options: TestOptions = {}): SimTest {
  const { server, sim, sandbox } = fixturesOf(options);
  return playwrightTest.extend<TestFixtures, SharedFixtures>({ server: [...server], sim: [...sim], sandbox });
}

/**
 * Playwright's `test` with the fixtures `sandbox` and `sim`: the page shows your web application, whose server talks to the sandbox.
 *
 * @example
 * import { expect } from "@playwright/test";
 * import { test } from "messaging-sim/playwright";
 *
 * test("shows what the customer writes", async ({ sandbox, page }) => {
 *   const app = await startApp({ api: sandbox.url, token: sandbox.token("acme-token") });
 *   await sandbox.connect(app.hook);
 *   await page.goto(app.url);
 *   await sandbox.customerSays("9001", "Hello");
 *   await expect(page.getByRole("log")).toContainText("Hello");
 * });
 */
export const test: SimTest = createTest();
