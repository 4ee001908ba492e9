/** The fixtures of a test in any runner: one server, a client, and a sandbox for each test. */
import { readFile } from "node:fs/promises";
import type { Duration, Sandbox, SandboxOptions } from "../client/index.js";
import { SimClient } from "../client/index.js";
import type { SimulatorOptions } from "../server/simulator.js";
import { environment, tellCoverage } from "./run-server.js";

/** The options of `createTest`. */
export interface TestOptions extends Omit<SandboxOptions, "id" | "fixtures"> {
  /** A fixture document, the path of a fixture file in JSON, or `empty`; default: that of the server. */
  readonly fixtures?: SandboxOptions["fixtures"] | string;
  /** Starts a separate simulator with these options in each worker. */
  readonly simulator?: SimulatorOptions | undefined;
  /** The default time limit of waits, in real time: `"2s"`, or ms. Default: 4 s. */
  readonly within?: Duration | undefined;
}

/** What the tests of a worker share. */
export interface SharedFixtures {
  /** The simulator in the environment, such as that of the global setup, otherwise one for this worker. */
  readonly server: { readonly url: string; readonly controlToken: string | undefined };
  /** A client of the simulator. Its own methods act on the sandbox `default`. */
  readonly sim: SimClient;
}

/** What each test has for itself. */
export interface TestFixtures {
  /** A sandbox, which is deleted after the test. */
  readonly sandbox: Sandbox;
}

/** The fixtures that a test can use. */
export interface Fixtures extends SharedFixtures, TestFixtures {}

/** A server for tests: the running one in the environment, or a separate one. */
async function startServer({
  simulator,
}: TestOptions): Promise<Pick<SharedFixtures, "server"> & { readonly close: () => Promise<void> }> {
  const { url, controlToken } = environment();
  if (url !== undefined && simulator === undefined)
    return { server: { url, controlToken }, close: async () => {} };
  // Jest reloads modules for each file: nothing of this is needed if there is a server.
  const { createSimulator } = await import("../server/simulator.js");
  const started = await createSimulator(simulator);
  const server = { url: started.url, controlToken: simulator?.controlToken || undefined };
  const close = async () => {
    await tellCoverage(server.url, server.controlToken);
    await started.close();
  };
  return { server, close };
}

const clientOf = (server: SharedFixtures["server"], { within }: TestOptions): SimClient =>
  new SimClient({ ...server, within });

/** Creates a sandbox that starts as the options say. */
async function sandboxOf(sim: SimClient, options: TestOptions): Promise<Sandbox> {
  const { simulator: _simulator, within: _within, fixtures, ...start } = options;
  const world = typeof fixtures === "string" ? await fixtureIn(fixtures) : fixtures;
  return sim.sandbox(world === undefined ? start : { ...start, fixtures: world });
}

type Use<Fixture> = (fixture: Fixture) => Promise<void>;

/** vitest 2 only accepts options for a fixture if it knows one of them: `auto`, here at its default. */
const OF_WORKER = { scope: "worker", auto: false } as const;

/** The fixtures in the form of vitest and Playwright, which read from a function's pattern what it needs. */
export const fixturesOf = (options: TestOptions) => ({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: the pattern says that it needs none
    async ({}, use: Use<SharedFixtures["server"]>) => {
      const { server, close } = await startServer(options);
      await use(server);
      await close();
    },
    OF_WORKER,
  ] as const,
  sim: [
    ({ server }: SharedFixtures, use: Use<SimClient>) => use(clientOf(server, options)),
    OF_WORKER,
  ] as const,
  sandbox: async ({ sim }: SharedFixtures, use: Use<Sandbox>) => {
    const sandbox = await sandboxOf(sim, options);
    await use(sandbox);
    await sandbox.dispose();
  },
});

/** @throws Error that names the file */
async function fixtureIn(file: string): Promise<SandboxOptions["fixtures"]> {
  if (file === "empty") return (await import("../server/start.js")).shippedFixture(file);
  const text = await readFile(file, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`fixtures: ${file} is not JSON: messaging-sim check shows where`, { cause });
  }
}

/** Fixtures for runners without their own: the first test starts the server, `close` stops it after the last. */
export class FileFixtures {
  readonly #options: TestOptions;
  #started: ReturnType<typeof startServer> | undefined;

  constructor(options: TestOptions) {
    this.#options = options;
  }

  /** The fixtures of one test; disposing them deletes the sandbox. */
  async ofTest(): Promise<Fixtures> {
    this.#started ??= startServer(this.#options);
    const { server } = await this.#started;
    const sim = clientOf(server, this.#options);
    return { server, sim, sandbox: await sandboxOf(sim, this.#options) };
  }

  /** If the server could not start, the tests have failed already, so this does not fail again. */
  async close(): Promise<void> {
    const started = await this.#started?.catch(() => undefined);
    await started?.close();
  }
}
