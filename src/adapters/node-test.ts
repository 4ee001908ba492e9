/** The `test` of `node:test` with a simulator: one server, and a sandbox for each test. */
import type { TestOptions as NodeOptions, TestContext } from "node:test";
import { after, test as nodeTest } from "node:test";
import type { Fixtures, TestOptions } from "./fixture.js";
import { FileFixtures } from "./fixture.js";

export type { Fixtures, TestOptions } from "./fixture.js";

type Body = (context: TestContext & Fixtures) => unknown;

type Plain = (
  name: string,
  options: NodeOptions,
  body: (context: TestContext) => Promise<void>,
) => Promise<void>;

interface Define {
  (name: string, body: Body): Promise<void>;
  (name: string, options: NodeOptions, body: Body): Promise<void>;
}

/** The `test` of `node:test`, whose context also has the fixtures. */
export interface SimTest extends Define {
  readonly only: Define;
  readonly skip: Define;
  readonly todo: Define;
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
  after(() => fixtures.close());
  const run = (body: Body) => async (context: TestContext) => {
    const given = await fixtures.ofTest();
    context.after(() => given.sandbox.dispose());
    await body(Object.assign(context, given));
  };
  const define =
    (plain: Plain): Define =>
    (name: string, ...rest: readonly [Body] | readonly [NodeOptions, Body]) => {
      const [settings, body] = rest.length === 1 ? [{}, rest[0]] : rest;
      return plain(name, settings, run(body));
    };
  return Object.assign(define(nodeTest), {
    only: define(nodeTest.only),
    skip: define(nodeTest.skip),
    todo: define(nodeTest.todo),
  });
}

/**
 * The `test` of `node:test` with the fixtures `sandbox` and `sim` in its context.
 *
 * @example
 * import { test } from "messaging-sim/node-test";
 *
 * test("greets", async ({ sandbox }) => {
 *   const bot = await startBot({ api: sandbox.url, token: sandbox.token("acme-token") });
 *   await sandbox.connect(bot.url);
 *   await sandbox.customerSays("9001", "Hello");
 *   await sandbox.waitForReply("9001", { contains: "Hello" });
 * });
 */
export const test: SimTest = createTest();
