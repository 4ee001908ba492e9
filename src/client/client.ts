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
  /** Where the control API is guarded by one. */
  readonly controlToken?: string | undefined;
  /** A sandbox that exists; default: `default`. */
  readonly sandbox?: string | undefined;
  /** How long a wait may take that names no time: ms of real time; default 4000, less than the limit of most tests. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 4_000;

/**
 * A client of the control API, for tests in any process: it needs `fetch` and nothing else. Its own methods act on the
 * sandbox `default` (or the one that it is given); `sandbox()` makes one of a test's own.
 *
 * @example
 * const client = new SimClient("http://127.0.0.1:4020");
 * await using sandbox = await client.sandbox();
 * startBot({ url: sandbox.url, token: sandbox.token("acme-token") });
 * await sandbox.customerSays("9001", "Hello");
 * await sandbox.waitForReply("9001", { contains: "Hello" });
 */
export class SimClient extends SandboxClient {
  readonly #server: Transport;
  readonly #timeoutMs: number;

  /** @param options also the address alone */
  constructor(options: SimClientOptions | SimClientOptions["url"]) {
    const {
      url,
      controlToken,
      sandbox = DEFAULT_SANDBOX,
      timeoutMs = DEFAULT_TIMEOUT_MS,
    } = typeof options === "string" || options instanceof URL ? { url: options } : options;
    const address = (urlFrom(String(url)) ?? String(url)).replace(/\/+$/, "");
    const server = controlApi(address, { controlToken });
    super(server.ofSandbox(sandbox), timeoutMs, sandbox, address);
    this.#server = server;
    this.#timeoutMs = timeoutMs;
  }

  /** How the simulator is: version, time since its start, number of sandboxes. @throws SimError when none answers */
  health(): Promise<Health> {
    return this.#server.invoke("GET /health");
  }

  /** Resolves while calls can be served and their changes kept. @throws SimError 503 while they cannot */
  async ready(): Promise<void> {
    await this.#server.invoke("GET /ready");
  }

  /**
   * Puts everything that is kept on the disk, a base document of each sandbox in place of its log.
   *
   * @throws SimError 409 where nothing is kept, 503 while it cannot be
   */
  async checkpoint(): Promise<void> {
    await this.#server.invoke("POST /checkpoint");
  }

  /** Counts from zero again what systems under test meet, in all sandboxes. */
  async clearCoverage(): Promise<void> {
    await this.#server.invoke("DELETE /coverage");
  }

  /** Makes a sandbox. @throws SimError 409 when the id is taken, 400 when fixture or behaviour cannot be used */
  async sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    return this.#sandboxOf(await this.#server.invoke("POST /sandboxes", { body: options }));
  }

  /** The sandbox with an id; it is made if there is none. */
  async ensureSandbox(id: string, options: Omit<SandboxOptions, "id"> = {}): Promise<Sandbox> {
    const call = { params: { sandbox: id }, body: options };
    return this.#sandboxOf(await this.#server.invoke("PUT /sandboxes/:sandbox", call));
  }

  /** All sandboxes, oldest first. */
  sandboxes(): Promise<SandboxInfo[]> {
    return this.#server.invoke("GET /sandboxes");
  }

  /** One sandbox. @throws SimError 404 when there is none with this id */
  sandboxInfo(id: string): Promise<SandboxInfo> {
    return this.#server.invoke("GET /sandboxes/:sandbox", { params: { sandbox: id } });
  }

  /** Deletes a sandbox. @throws SimError 404 when there is none with this id */
  async deleteSandbox(id: string): Promise<void> {
    await this.#server.invoke("DELETE /sandboxes/:sandbox", { params: { sandbox: id } });
  }

  /** OpenAPI of the simulated API or of the control API, or AsyncAPI of the webhooks. */
  description(which: "openapi" | "control" | "asyncapi"): Promise<Readonly<Record<string, unknown>>> {
    return this.#server.invoke(`GET /${which}.json`);
  }

  /** Prometheus text. */
  metrics(): Promise<string> {
    return this.#server.invoke("GET /metrics");
  }

  #sandboxOf(info: SandboxInfo): Sandbox {
    return new Sandbox(this.#server.ofSandbox(info.id), this.#timeoutMs, info, () =>
      unlessGone(this.deleteSandbox(info.id)),
    );
  }
}
