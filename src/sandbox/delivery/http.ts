import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { BOUNDS } from "../../kernel/bounds.js";
import { reasonOf } from "../../kernel/errors.js";
import { omitUndefined } from "../../kernel/objects.js";
import { loadPackage } from "../../kernel/packages.js";
import { elapsedSince, later, monotonicNow, onAbort, soon } from "../../kernel/realtime.js";
import type { Attempt } from "../deliveries.js";
import type { Destination, Targets } from "./target.js";
import { OutboundRefused } from "./target.js";

export type HeaderFields = Readonly<Record<string, string>>;

export interface OutboundRequest {
  readonly target: Destination;
  readonly headers: HeaderFields;
  readonly body: Buffer;
  /** The timeout for everything, in real time: connection, headers and body. */
  readonly timeoutMs: number;
}

/** How a call has ended: with an answer, or without one. */
export interface CallResult extends Omit<Attempt, "at"> {
  /** The outbound guard refused the address. */
  readonly isBlocked?: boolean;
  readonly location?: string | undefined;
}

/** Sends a request. It ends exactly once: with an answer, a failure, a timeout or an abort. */
function exchange(
  request: OutboundRequest,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<CallResult> {
  const { target, headers, body, timeoutMs } = request;
  const startedAt = monotonicNow();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let status: number | null = null;
  let location: string | undefined;
  /** undici's handle of the request, once it has a connection. */
  let connected: Dispatcher.DispatchController | undefined;
  let isOver = false;
  return new Promise((resolve) => {
    const end = (failure: Failure | null) => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      unsubscribe();
      resolve({
        status,
        durationMs: elapsedSince(startedAt, 3),
        error: failure?.message ?? null,
        responseBody: status === null ? null : textOf(chunks),
        isBlocked: failure?.isBlocked === true,
        location,
      });
    };
    const hangUp = () => connected?.abort(new Error("the request is over"));
    const stop = (failure: Failure | null) => {
      if (isOver) return;
      end(failure);
      hangUp();
    };
    const expire = () => {
      const answer = status === null ? "a response" : "the end of the response";
      stop({
        message: `timed out after ${timeoutMs} ms, waiting for ${connected === undefined ? "a connection" : answer}`,
      });
    };
    // An answer that arrived while the event loop was busy is in time: input is read before `soon`.
    const timer = later(timeoutMs, () => soon(expire));
    const unsubscribe = onAbort(signal, () => stop({ message: "aborted" }));
    const hasHost = Object.keys(headers).some((name) => name.toLowerCase() === "host");
    const options: Dispatcher.DispatchOptions = {
      origin: target.origin,
      path: target.path,
      method: "POST",
      headers: target.host === undefined || hasHost ? headers : { ...headers, host: target.host },
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        connected = controller;
        if (isOver) hangUp();
      },
      onResponseStart: (_, code, answered) => {
        // undici would fail an assertion on these, and formatting its message takes seconds.
        if (code < 100 || code === 101) return stop({ message: `invalid response: its status is ${code}` });
        if (code < 200) return;
        status = code;
        if (typeof answered.location === "string") ({ location } = answered);
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        // Up to this limit, the answer is read to its end, so that the connection can be reused.
        if (bytes > BOUNDS.answerBytes.limit) stop(null);
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(describeFailure(error, target.hostname)),
    });
  });
}

const textOf = (body: readonly Buffer[]): string =>
  Buffer.concat(body).toString().slice(0, BOUNDS.answerCharacters.limit);

interface Failure {
  readonly message: string;
  readonly isBlocked?: boolean;
}

/** Explains an error of a request. `host` is what was called. */
function describeFailure(error: Error, host: string): Failure {
  if (error instanceof OutboundRefused) return { message: error.message, isBlocked: true };
  const code = "code" in error ? String(error.code) : "";
  const reason = reasonOf(error);
  if (/^(ENOTFOUND|EAI_)/.test(code)) return { message: `the name ${host} was not found (${code})` };
  if (/^(ERR_SSL_|EPROTO)/.test(code)) return { message: `no TLS connection: is it plain http? (${code})` };
  if (/CERT|^UNABLE_TO_/.test(code)) {
    const options = "use --webhook-ca FILE to trust an authority, or --webhook-insecure-tls to trust all";
    return { message: `${reason} (${code}; ${options})` };
  }
  if (error.name === "AssertionError") return { message: "invalid response: it is not HTTP/1.1" };
  if (error.name === "HTTPParserError") return { message: `invalid response: ${reason}` };
  return { message: reason };
}

interface Trust {
  /** Certificate authorities in PEM, in addition to Node's. */
  readonly ca?: string | undefined;
  readonly insecureTls?: boolean | undefined;
  /** Which origin is the simulator itself, whose certificate is always trusted, and which addresses may be called. */
  readonly targets: Targets;
}

/** How much longer than its request connecting may take, so that the request reports the timeout. */
const CONNECT_GRACE_MS = 1_000;

/** Sends the HTTP requests of one simulator over keep-alive connections. Loads undici with the first request. */
export class HttpClient {
  readonly #closing = new AbortController();
  readonly #secureContext: SecureContext | undefined;
  #agent: Agent | undefined;
  /** The longest timeout of a request so far. */
  #longestMs = 0;

  /** @throws Error if an authority cannot be read */
  constructor(private readonly trust: Trust) {
    const { ca } = trust;
    // Reading all authorities takes milliseconds.
    this.#secureContext = ca === undefined ? ca : createSecureContext({ ca: [...rootCertificates, ca] });
  }

  /**
   * Sends a request once; any status and any failure of the receiver is an outcome.
   * @throws the signal's reason if it is aborted first; Error if undici cannot be loaded
   */
  async send(request: OutboundRequest, signal: AbortSignal = this.#closing.signal): Promise<CallResult> {
    signal.throwIfAborted();
    this.#longestMs = Math.max(this.#longestMs, request.timeoutMs);
    this.#agent ??= this.#newAgent();
    const outcome = await exchange(request, this.#agent, signal);
    signal.throwIfAborted();
    return outcome;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent?.destroy();
  }

  #newAgent(): Agent {
    const { Agent, Pool, buildConnector } = loadPackage<typeof import("undici")>("undici");
    const { insecureTls, targets } = this.trust;
    const secureContext = this.#secureContext;
    return new Agent({
      factory: (origin) => {
        const access = targets.isOwn(String(origin))
          ? { rejectUnauthorized: false }
          : { rejectUnauthorized: insecureTls !== true, lookup: targets.guard.lookup };
        const options = { ...omitUndefined({ secureContext }), ...access };
        const connect: buildConnector.connector = (address, callback) =>
          buildConnector({ timeout: this.#longestMs + CONNECT_GRACE_MS, ...options })(address, callback);
        return new Pool(origin, { connect });
      },
    });
  }
}
