import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { BOUNDS } from "../../kernel/bounds.js";
import { reasonOf } from "../../kernel/errors.js";
import { HOPS_HEADER } from "../../kernel/http/target.js";
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
  /** How many simulator calls led to it. */
  readonly hops: number;
  /** The timeout for everything, in real time: connection, headers and body. */
  readonly timeoutMs: number;
}

/** How a call has ended: with an answer, or without one. */
export interface CallResult extends Omit<Attempt, "at"> {
  readonly stage: FailureStage | null;
  readonly location?: string | undefined;
}

/** How much of an answer is kept, in characters, and the bytes that these take at most. */
const MAX_KEPT_CHARACTERS = BOUNDS.answerCharacters.limit;
const MAX_KEPT_BYTES = MAX_KEPT_CHARACTERS * 4;

/** The server name in TLS: that of the URL. An address has none. */
function tlsName({ hostname, host }: Destination): string | undefined {
  const name = host === undefined ? hostname : new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, "");
  return isIP(name) === 0 ? name : undefined;
}

/** A request in flight. It ends exactly once: with an answer, a failure, a timeout or an abort. */
class RequestHandler implements Dispatcher.DispatchHandler {
  readonly #startedAt = monotonicNow();
  #release = (): void => {};
  /** undici's handle of the request, once it has a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | null = null;
  #location: string | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    readonly request: OutboundRequest,
    readonly resolve: (outcome: CallResult) => void,
  ) {}

  /** Sends the request. Aborting the signal ends it like a failure. */
  start(dispatcher: Dispatcher, signal: AbortSignal): void {
    const { target, body, timeoutMs, hops } = this.request;
    const headers = { ...this.request.headers, [HOPS_HEADER]: String(hops + 1) };
    // An answer that arrived while the event loop was busy is in time: input is read before `soon`.
    const timer = later(timeoutMs, () => soon(() => this.#expire()));
    const unsubscribe = onAbort(signal, () => this.#stop({ stage: "answer", message: "aborted" }));
    this.#release = () => {
      timer.cancel();
      unsubscribe();
    };
    const hasHost = Object.keys(headers).some((name) => name.toLowerCase() === "host");
    const options: Dispatcher.DispatchOptions & { servername?: string | undefined } = {
      origin: target.origin,
      path: target.path,
      method: "POST",
      headers: target.host === undefined || hasHost ? headers : { ...headers, host: target.host },
      // undici would take the server name in TLS from the webhook's own `Host`; it must be that of the URL.
      servername: hasHost && target.secure ? tlsName(target) : undefined,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    dispatcher.dispatch(options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) this.#hangUp();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    { location }: IncomingHttpHeaders,
  ): void {
    // undici would fail an assertion on these, and formatting its message takes seconds.
    if (status < 100 || status === 101)
      return this.#stop({ stage: "answer", message: `invalid response: its status is ${status}` });
    if (status < 200) return;
    this.#status = status;
    if (typeof location === "string") this.#location = location;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < MAX_KEPT_BYTES) this.#chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - this.#bytes));
    this.#bytes += chunk.length;
    // Up to this limit, the answer is read to its end, so that the connection can be reused.
    if (this.#bytes > BOUNDS.answerBytes.limit) this.#stop(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(describeFailure(error, this.request.target.hostname));
  }

  #expire(): void {
    const isConnected = this.#controller !== undefined;
    const missing = !isConnected
      ? "a connection"
      : this.#status === null
        ? "a response"
        : "the end of the response";
    this.#stop({
      stage: isConnected ? "answer" : "connection",
      message: `timed out after ${this.request.timeoutMs} ms, waiting for ${missing}`,
    });
  }

  #stop(failure: CallFailure | null): void {
    if (this.#isOver) return;
    this.#end(failure);
    this.#hangUp();
  }

  #hangUp(): void {
    this.#controller?.abort(new Error("the request is over"));
  }

  #end(failure: CallFailure | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.resolve({
      status: this.#status,
      durationMs: elapsedSince(this.#startedAt, 3),
      error: failure?.message ?? null,
      responseBody: this.#status === null ? null : this.#text(),
      stage: failure?.stage ?? null,
      location: this.#location,
    });
  }

  #text(): string {
    if (this.#bytes === 0) return "";
    const text = Buffer.concat(this.#chunks).toString("utf8").slice(0, MAX_KEPT_CHARACTERS);
    // A surrogate pair is never split.
    return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
  }
}

export type FailureStage = "guard" | "name" | "connection" | "tls" | "answer";

interface CallFailure {
  readonly stage: FailureStage;
  readonly message: string;
}

const NO_CONNECTION: ReadonlySet<string> = new Set(
  "ECONNREFUSED EHOSTUNREACH ENETUNREACH ETIMEDOUT EADDRNOTAVAIL EMFILE".split(" "),
);

/** Explains an error of a request. `host` is what was called. */
function describeFailure(error: Error, host: string): CallFailure {
  if (error instanceof OutboundRefused) return { stage: "guard", message: error.message };
  const code = "code" in error ? String(error.code) : "";
  const reason = reasonOf(error);
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return { stage: "name", message: `the name ${host} was not found (${code})` };
  if (NO_CONNECTION.has(code)) return { stage: "connection", message: reason };
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return { stage: "tls", message: `no TLS connection: is it plain http? (${code})` };
  if (/CERT|^UNABLE_TO_/.test(code)) {
    const options = "use --webhook-ca FILE to trust an authority, or --webhook-insecure-tls to trust all";
    return { stage: "tls", message: `${reason} (${code}; ${options})` };
  }
  if (error.name === "AssertionError")
    return { stage: "answer", message: "invalid response: it is not HTTP/1.1" };
  if (error.name === "HTTPParserError") return { stage: "answer", message: `invalid response: ${reason}` };
  return { stage: "answer", message: reason };
}

/** Opens connections until the signal aborts. Node keeps each socket that was given a signal: each connection gets its own. */
const connectUntil =
  (
    signal: AbortSignal,
    build: typeof buildConnector,
    options: () => buildConnector.BuildOptions,
  ): buildConnector.connector =>
  (address, callback) => {
    const own = new AbortController();
    const forget = onAbort(signal, () => own.abort());
    build({ ...options(), signal: own.signal })(address, (...opened) => {
      if (opened[0] === null) opened[1].once("close", forget);
      else forget();
      callback(...opened);
    });
  };

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
  #agent: Agent | undefined;
  /** The longest timeout of a request so far. */
  #longestMs = 0;

  constructor(private readonly trust: Trust) {}

  /** Sends a request once; any status and any failure is an outcome. @throws the signal's reason if it is aborted first */
  async send(request: OutboundRequest, signal: AbortSignal = this.#closing.signal): Promise<CallResult> {
    signal.throwIfAborted();
    this.#longestMs = Math.max(this.#longestMs, request.timeoutMs);
    try {
      const agent = (this.#agent ??= this.#newAgent());
      const outcome = await new Promise<CallResult>((resolve) =>
        new RequestHandler(request, resolve).start(agent, signal),
      );
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      // Only what is wrong on this machine: undici cannot be loaded, or an authority cannot be read.
      const { stage, message } = describeFailure(error as Error, request.target.hostname);
      return { status: null, durationMs: 0, error: message, responseBody: null, stage };
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent?.destroy();
  }

  #newAgent(): Agent {
    const { Agent, Pool, buildConnector } = loadPackage<typeof import("undici")>("undici");
    const { ca, insecureTls, targets } = this.trust;
    // Reading all authorities takes milliseconds.
    const secureContext =
      ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, ca] });
    return new Agent({
      factory: (origin) => {
        const access = targets.isOwn(String(origin))
          ? { rejectUnauthorized: false }
          : { rejectUnauthorized: insecureTls !== true, lookup: targets.guard.lookup };
        const options = () => ({
          timeout: this.#longestMs + CONNECT_GRACE_MS,
          ...omitUndefined({ secureContext }),
          ...access,
        });
        return new Pool(origin, { connect: connectUntil(this.#closing.signal, buildConnector, options) });
      },
    });
  }
}
