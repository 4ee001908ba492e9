import { DEFAULT_SANDBOX, urlFrom } from "../protocol/names.js";
import { unlessGone } from "./handles.js";
import { Sandbox, SandboxClient } from "./sandbox.js";
import type { Transport } from "./transport.js";
import { controlApi } from "./transport.js";
import type { Health, SandboxInfo, SandboxOptions } from "./types.js";

/** The options of `SimClient`. */
export interface SimClientOptions {
  /** The simulator's address, such as `http://127.0.0.1:4020`; `localhost:4020` is understood. */
  readonly url: string | URL;
  /** The control token, if the control API requires one. */
  readonly controlToken?: string | undefined;
  /** An existing sandbox; default: `default`. */
  readonly sandbox?: string | undefined;
  /** The default timeout of waits: ms of real time; default 4000, below the time limit of most tests. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 4_000;

/**
 * A client of the control API, for tests in any process: it only needs `fetch`. Its own methods act on the sandbox `default`
 * (or the one in its options); `sandbox()` creates one for a single test.
 *
 * @example
 * const client = new SimClient("http://127.0.0.1:4020");
 * await using sandbox = await client.sandbox();
 * const bot = await startBot({ api: sandbox.url, token: sandbox.token("acme-token") });
 * await sandbox.connect(bot.url);
 * await sandbox.customerSays("9001", "Hello");
 * await sandbox.waitForReply("9001", { contains: "Hello" });
 */
export class SimClient extends SandboxClient {
  readonly #server: Transport;
  readonly #timeoutMs: number;

  /** @param options or the address alone */
  constructor(options: SimClientOptions | SimClientOptions["url"]) {
    const {
      url,
      controlToken,
      sandbox = DEFAULT_SANDBOX,
      timeoutMs = DEFAULT_TIMEOUT_MS,
    } = typeof options === "string" || options instanceof URL ? { url: options } : options;
    if (url === undefined) throw new TypeError("SimClient needs the simulator's address: url is missing");
    const address = (urlFrom(String(url)) ?? String(url)).replace(/\/+$/, "");
    const server = controlApi(address, { controlToken });
    super(server.ofSandbox(sandbox), timeoutMs, sandbox, address);
    this.#server = server;
    this.#timeoutMs = timeoutMs;
  }

  /** The simulator's health: version, uptime, number of sandboxes. @throws SimError if there is no answer */
  health(): Promise<Health> {
    return this.#server.invoke("GET /health");
  }

  /** Resolves if calls can be served and their changes saved. @throws SimError 503 if they cannot */
  async ready(): Promise<void> {
    await this.#server.invoke("GET /ready");
  }

  /**
   * Saves everything to disk, with a new base document for each sandbox in place of its log.
   *
   * @throws SimError 409 if the simulator runs in memory, 503 if saving fails
   */
  async checkpoint(): Promise<void> {
    await this.#server.invoke("POST /checkpoint");
  }

  /** Resets the coverage of all sandboxes. */
  async clearCoverage(): Promise<void> {
    await this.#server.invoke("DELETE /coverage");
  }

  /** Creates a sandbox. @throws SimError 409 if the id is taken, 400 if fixture or behaviour are invalid */
  async sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    return this.#sandboxOf(await this.#server.invoke("POST /sandboxes", { body: options }));
  }

  /** The sandbox with an id; it is created if it does not exist. */
  async ensureSandbox(id: string, options: Omit<SandboxOptions, "id"> = {}): Promise<Sandbox> {
    const call = { params: { sandbox: id }, body: options };
    return this.#sandboxOf(await this.#server.invoke("PUT /sandboxes/:sandbox", call));
  }

  /** All sandboxes, oldest first. */
  sandboxes(): Promise<SandboxInfo[]> {
    return this.#server.invoke("GET /sandboxes");
  }

  /** One sandbox. @throws SimError 404 if there is none with this id */
  sandboxInfo(id: string): Promise<SandboxInfo> {
    return this.#server.invoke("GET /sandboxes/:sandbox", { params: { sandbox: id } });
  }

  /** Deletes a sandbox. @throws SimError 404 if there is none with this id */
  async deleteSandbox(id: string): Promise<void> {
    await this.#server.invoke("DELETE /sandboxes/:sandbox", { params: { sandbox: id } });
  }

  /** OpenAPI of the simulated API or of the control API, or AsyncAPI of the webhooks. */
  description(which: "openapi" | "control" | "asyncapi"): Promise<Readonly<Record<string, unknown>>> {
    return this.#server.invoke(`GET /${which}.json`);
  }

  /** The metrics as Prometheus text. */
  metrics(): Promise<string> {
    return this.#server.invoke("GET /metrics");
  }

  #sandboxOf(info: SandboxInfo): Sandbox {
    return new Sandbox(this.#server.ofSandbox(info.id), this.#timeoutMs, info, () =>
      unlessGone(this.deleteSandbox(info.id)),
    );
  }
}
