import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { createSecureContext, rootCertificates } from "node:tls";
import type { Agent } from "undici";
import { given } from "../../kernel/given.js";
import { lazily, loadPackage } from "../../kernel/load.js";
import { connectUntil } from "./connect.js";
import { describeFailure } from "./failure.js";
import type { OutboundRequest, Outcome } from "./request.js";
import { sendRequest } from "./request.js";

/** Which certificates receivers may have. */
interface Trust {
  /** Authorities in PEM, beside those that Node knows. */
  readonly ca?: string | undefined;
  /** Accepts every certificate. */
  readonly insecureTls?: boolean | undefined;
  /** Whether an origin is the simulator itself, whose certificate is always accepted. */
  readonly isOwn: (origin: string) => boolean;
  /** Resolves the names of all others; what it answers is what is called. Left out: as the system does. */
  readonly lookup?: LookupFunction;
}

/** How many agents are kept: one for each `delivery.timeoutMs` in use. */
const MAX_AGENTS = 8;
/** How much longer than its request a connection may take, so that the request reports the timeout. */
const CONNECT_GRACE_MS = 1_000;

/** Sends the HTTP requests of one simulator over kept connections. The first request loads undici. */
export class HttpClient {
  readonly #trust: Trust;
  readonly #closing = new AbortController();
  /** By the timeout of their requests: undici sets the time for connecting once for each agent. */
  readonly #agents = new Map<number, Agent>();
  readonly #undici = lazily(() => loadPackage<typeof import("undici")>("undici"));
  #authorities: SecureContext | undefined;

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  /**
   * Sends a request once. It follows no redirect; an answer of any status and a failure are outcomes.
   *
   * @throws the signal's reason when the signal is aborted first
   */
  async send(request: OutboundRequest, signal: AbortSignal = this.#closing.signal): Promise<Outcome> {
    signal.throwIfAborted();
    try {
      const { timeoutMs } = request;
      const agent = this.#agents.get(timeoutMs) ?? this.#newAgent(timeoutMs);
      const outcome = await sendRequest(agent, request, signal);
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      // Only what is missing on this machine: undici could not be loaded, or an authority not be read.
      const { stage, message } = describeFailure(error as Error, request.target.hostname);
      return { status: null, durationMs: 0, error: message, responseBody: null, stage };
    }
  }

  /** Closes all connections, those being opened included; requests under way fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #newAgent(timeoutMs: number): Agent {
    const { Agent, Pool, buildConnector } = this.#undici();
    const { ca, insecureTls, isOwn, lookup } = this.#trust;
    // Reading all authorities takes milliseconds.
    if (ca !== undefined) this.#authorities ??= createSecureContext({ ca: [...rootCertificates, ca] });
    const common = {
      timeout: timeoutMs + CONNECT_GRACE_MS,
      ...given({ secureContext: this.#authorities }),
    };
    const agent = new Agent({
      factory: (origin) => {
        const options = isOwn(String(origin))
          ? { ...common, rejectUnauthorized: false }
          : { ...common, rejectUnauthorized: insecureTls !== true, ...given({ lookup }) };
        return new Pool(origin, { connect: connectUntil(this.#closing.signal, buildConnector, options) });
      },
    });
    this.#makeRoom();
    this.#agents.set(timeoutMs, agent);
    return agent;
  }

  /** Closes the agent that was made first, after its last request, where there are too many. */
  #makeRoom(): void {
    const [oldest] = this.#agents;
    if (oldest === undefined || this.#agents.size < MAX_AGENTS) return;
    const [timeoutMs, agent] = oldest;
    this.#agents.delete(timeoutMs);
    void agent.close();
  }
}
