/** What a test of any runner is given: one server, a client, and a sandbox of its own. */
import type { Sandbox, SandboxOptions } from "../client/index.js";
import { SimClient } from "../client/index.js";
import type { SimulatorOptions } from "../server/simulator.js";
import { tellCoverage } from "./coverage.js";
import { environment } from "./environment.js";

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

/** Where a simulator is. */
interface Server {
  readonly url: string;
  readonly controlToken: string | undefined;
}

/** What the tests of a worker share. */
export interface SharedFixtures {
  /** Where the simulator is: the one that the options or the environment name, else one of the worker's own. */
  readonly server: Server;
  /** A client of the simulator. Its own methods act on the sandbox `default`. */
  readonly sim: SimClient;
}

/** What each test has for itself. */
export interface TestFixtures {
  /** A sandbox, which is deleted after the test. */
  readonly sandbox: Sandbox;
}

/** What a test can ask for. */
export interface Fixtures extends SharedFixtures, TestFixtures {}

/** A server for tests: one that runs already (`ofRun` where the options and the environment name none), or one of their own. */
export async function startServer(
  { url, controlToken, simulator }: TestOptions,
  ofRun?: string,
): Promise<{ readonly server: Server; readonly close: () => Promise<void> }> {
  const env = environment();
  const running = url ?? (simulator === undefined ? (env.url ?? ofRun) : undefined);
  if (running !== undefined) {
    const server = { url: running, controlToken: controlToken ?? env.controlToken };
    return { server, close: async () => {} };
  }
  // Jest loads a module anew for each file: what has a server already goes without all of this.
  const { createSimulator } = await import("../server/simulator.js");
  const started = await createSimulator(simulator);
  const server = { url: started.url, controlToken: simulator?.controlToken || undefined };
  const close = async () => {
    await tellCoverage(server.url, server.controlToken);
    await started.close();
  };
  return { server, close };
}

export const clientOf = (server: Server, { timeoutMs }: TestOptions): SimClient =>
  new SimClient({ ...server, timeoutMs });

/** Makes a sandbox that starts as the options say. */
export function sandboxOf(sim: SimClient, options: TestOptions): Promise<Sandbox> {
  const { url: _url, controlToken: _token, simulator: _simulator, timeoutMs: _ms, ...start } = options;
  return sim.sandbox(start);
}

/** The fixtures of runners that have none of their own: the first test starts the server, `close` ends it after the last. */
export class FileFixtures {
  readonly #options: TestOptions;
  #started: ReturnType<typeof startServer> | undefined;

  constructor(options: TestOptions) {
    this.#options = options;
  }

  /** What a test is given. It disposes of the sandbox. */
  async ofTest(): Promise<Fixtures> {
    this.#started ??= startServer(this.#options);
    const { server } = await this.#started;
    const sim = clientOf(server, this.#options);
    return { server, sim, sandbox: await sandboxOf(sim, this.#options) };
  }

  /** The tests that could not have a server have failed for it: this does not fail once more. */
  async close(): Promise<void> {
    const started = await this.#started?.catch(() => undefined);
    await started?.close();
  }
}
