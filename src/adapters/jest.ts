/** Jest's `test` with a simulator: one server, and a sandbox for each test. */
import { afterAll, test as jestTest, type Test } from "@jest/globals";
import type { Fixtures, TestOptions } from "./fixture.js";
import { FileFixtures } from "./fixture.js";

export type { Fixtures, TestOptions } from "./fixture.js";

type Body<Given extends readonly unknown[]> = (...given: [...Given, Fixtures]) => unknown;
type Define<Given extends readonly unknown[]> = (name: string, body: Body<Given>, timeoutMs?: number) => void;

/** Jest's `test`, whose function gets the fixtures: as its last argument, after those of a table. */
export interface SimTest extends Define<[]> {
  readonly only: SimTest;
  readonly skip: SimTest;
  readonly failing: SimTest;
  /** Runs concurrently with other concurrent tests of the file. */
  readonly concurrent: SimTest;
  todo(name: string): void;
  each<const Row>(table: readonly Row[]): Define<Row extends readonly unknown[] ? Row : [Row]>;
  each<Row = Readonly<Record<string, unknown>>>(
    headings: TemplateStringsArray,
    ...values: readonly unknown[]
  ): Define<[Row]>;
}

/**
 * A `test` whose sandboxes start with other fixtures, behaviour, seed or clock than the server's. Call it at the top level of
 * a file.
 *
 * @example
 * const test = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
 * test("the window closes", async ({ sandbox }) => {
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.advance("25h");
 * });
 */
export function createTest(options: TestOptions = {}): SimTest {
  const fixtures = new FileFixtures(options);
  afterAll(() => fixtures.close());
  return withFixtures(jestTest, async (body) => {
    const given = await fixtures.ofTest();
    try {
      await body(given);
    } finally {
      await given.sandbox.dispose();
    }
  });
}

type Run = (body: (fixtures: Fixtures) => unknown) => Promise<void>;

const VARIANTS: ReadonlySet<unknown> = new Set(["only", "skip", "failing", "concurrent"]);

/** Jest treats a parameter as its callback `done`, so the function passed to it has none. */
function withFixtures(plain: Test, run: Run): SimTest {
  const define: Define<[]> = (name, body, timeoutMs) => plain(name, () => run(body), timeoutMs);
  const each =
    (...table: readonly unknown[]): Define<readonly unknown[]> =>
    (name, body, timeoutMs) =>
      plain.each(...table)(name, (...row) => run((fixtures) => body(...row, fixtures)), timeoutMs);
  // The variants differ: `only` has no `concurrent`.
  return new Proxy(define, {
    get(_define, key) {
      const value: unknown = Reflect.get(plain, key);
      if (key === "each") return each;
      return VARIANTS.has(key) && value !== undefined ? withFixtures(value as Test, run) : value;
    },
  }) as SimTest;
}

/**
 * Jest's `test` with the fixtures `sandbox` and `sim`.
 *
 * @example
 * const { test } = require("messaging-sim/jest");
 *
 * test("greets", async ({ sandbox }) => {
 *   const bot = await startBot({ api: sandbox.url, token: sandbox.token("acme-token") });
 *   await sandbox.connect(bot.url);
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.waitForReply("9001", { contains: "Hello" });
 * });
 */
export const test: SimTest = createTest();
