import { DEFAULT_SANDBOX, urlFrom } from "../kernel/names.js";
import { unlessGone } from "./handles.js";
import type { RouteLine, RouteMethod } from "./routes.js";
import { Sandbox, SandboxClient } from "./sandbox.js";
import type { Transport } from "./transport.js";
import { controlApi } from "./transport.js";
import type { Duration, SandboxInfo, SandboxOptions } from "./types.js";

/** The options of `SimClient`. */
export interface SimClientOptions {
  /** The simulator's address, such as `http://127.0.0.1:4020`; `localhost:4020` is understood. */
  readonly url: string | URL;
  /** The control token, if the control API requires one. */
  readonly controlToken?: string | undefined;
  /** An existing sandbox; default: `default`. */
  readonly sandbox?: string | undefined;
  /** The default time limit of waits, in real time: `"2s"`, or ms. Default: 4 s, below the time limit of most tests. */
  readonly within?: Duration | undefined;
}

const DEFAULT_WITHIN = "4s";

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
  readonly #within: Duration;

  /** @param options or the address alone */
  constructor(options: SimClientOptions | SimClientOptions["url"]) {
    const {
      url,
      controlToken,
      sandbox = DEFAULT_SANDBOX,
      within = DEFAULT_WITHIN,
    } = typeof options === "string" || options instanceof URL ? { url: options } : options;
    if (url === undefined) throw new TypeError("SimClient needs the simulator's address: url is missing");
    const address = (urlFrom(String(url)) ?? String(url)).replace(/\/+$/, "");
    const server = controlApi(address, { controlToken });
    super(server.ofSandbox(sandbox), within, sandbox, address);
    this.#server = server;
    this.#within = within;
  }

  /** The simulator's health: version, uptime, number of sandboxes. @throws SimError if there is no answer */
  readonly health = this.#route("GET /health");
  /** All sandboxes, oldest first. */
  readonly sandboxes = this.#route("GET /sandboxes");
  /** One sandbox. @throws SimError 404 if there is none with this id */
  readonly sandboxInfo = this.#route("GET /sandboxes/:sandbox");
  /** Deletes a sandbox. @throws SimError 404 if there is none with this id */
  readonly deleteSandbox = this.#route("DELETE /sandboxes/:sandbox");
  /** Creates a sandbox. @throws SimError 409 if the id is taken, 400 if fixture or behaviour are invalid */
  async sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    return this.#sandboxOf(await this.#server.route("POST /sandboxes")(options));
  }

  /** The sandbox with an id; it is created if it does not exist. */
  async ensureSandbox(id: string, options: Omit<SandboxOptions, "id"> = {}): Promise<Sandbox> {
    return this.#sandboxOf(await this.#server.route("PUT /sandboxes/:sandbox")(id, options));
  }

  /** A method that calls a route of the server. */
  #route<Line extends RouteLine>(line: Line): RouteMethod<Line> {
    return (...given) => this.#server.route(line)(...given);
  }

  #sandboxOf(info: SandboxInfo): Sandbox {
    return new Sandbox(this.#server.ofSandbox(info.id), this.#within, info, () =>
      unlessGone(this.deleteSandbox(info.id)),
    );
  }
}
