/** vitest's `test` with a simulator: one server, one sandbox for each test, all in parallel. */
import { inject, type TestAPI, test as vitestTest } from "vitest";
import { createSimulator, type SimulatorOptions } from "../simulator.js";
import type { Sandbox, SandboxOptions } from "./index.js";
import { SimClient } from "./index.js";
import { environment } from "./vitest-setup.js";

/** The options of `createTest`. */
export interface TestOptions extends Omit<SandboxOptions, "id"> {
  /** A simulator that already runs; default: `MESSAGING_SIM_URL`, else the one of `setup`, else one of the worker's own. */
  readonly url?: string | undefined;
  /** Of that simulator; default: `MESSAGING_SIM_CONTROL_TOKEN`. */
  readonly controlToken?: string | undefined;
  /** Starts a simulator of the tests' own in each worker, with these options. */
  readonly simulator?: SimulatorOptions | undefined;
  /** How long a wait may take that names no time: ms of real time; default 4000. */
  readonly timeoutMs?: number | undefined;
}

/** What the tests of a worker share. */
export interface SharedFixtures {
  /** Where the simulator is: the one that the options or the environment name, else one of the worker's own. */
  readonly server: { readonly url: string; readonly controlToken: string | undefined };
  /** A client of the simulator. Its own methods act on the sandbox `default`. */
  readonly sim: SimClient;
}

/** What each test has for itself. */
export interface TestFixtures {
  /** A sandbox, which is deleted after the test. */
  readonly sandbox: Sandbox;
}

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
  return parallel(withFixtures(options));
}

/** vitest's `test` with the fixtures that a test can ask for. */
export type SimTest = TestAPI<SimContext>;

/** vitest 2 takes options for such only when it knows one of them: `auto` is that, at its default. */
const OF_WORKER = { scope: "worker", auto: false } as const;

/** In the form of vitest 2, which later ones take too. Before 3.2 nothing lives longer than a test: each has its own server. */
function withFixtures({ url, controlToken, simulator, timeoutMs, ...start }: TestOptions): SimTest {
  const extended = vitestTest.extend<SharedFixtures & TestFixtures>({
    server: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const env = environment();
        const running = url ?? (simulator === undefined ? (env.url ?? inject("messagingSimUrl")) : undefined);
        if (running !== undefined)
          return use({ url: running, controlToken: controlToken ?? env.controlToken });
        const started = await createSimulator(simulator);
        await use({ url: started.url, controlToken: simulator?.controlToken || undefined });
        await started.close();
      },
      OF_WORKER,
    ],
    sim: [({ server }, use) => use(new SimClient({ ...server, timeoutMs })), OF_WORKER],
    sandbox: async ({ sim }, use) => {
      const sandbox = await sim.sandbox(start);
      await use(sandbox);
      await sandbox.dispose();
    },
  });
  // This form of `extend` has no type for how long a fixture lives.
  return extended as unknown as SimTest;
}

/**
 * vitest's `test` with the fixtures `sandbox` and `sim`. Tests run in parallel unless they are `test.sequential`.
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

/** The same `test`, concurrent by default; so is each test that is made by extending it. */
function parallel<Context>(plain: TestAPI<Context>): TestAPI<Context> {
  return new Proxy(plain.concurrent as TestAPI<Context>, {
    get(concurrent, key) {
      if (key === "sequential") return plain.sequential;
      if (key === "extend")
        return (...given: readonly unknown[]) => parallel(Reflect.apply(plain.extend, plain, given));
      return Reflect.get(concurrent, key);
    },
  });
}
