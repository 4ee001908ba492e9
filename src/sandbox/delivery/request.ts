import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Dispatcher } from "undici";
import { onAbort } from "../../kernel/abort.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { HOPS_HEADER } from "../../kernel/http/hops.js";
import { elapsedSince, later, monotonicNow, soon } from "../../kernel/realtime.js";
import type { Attempt } from "../deliveries.js";
import type { Failure, FailureStage } from "./failure.js";
import { describeFailure } from "./failure.js";
import type { Headers } from "./headers.js";
import type { Target } from "./target.js";

/** One HTTP request to a receiver. */
export interface OutboundRequest {
  readonly target: Target;
  readonly headers: Headers;
  readonly body: Buffer;
  /** How many calls of the simulator led to it. */
  readonly hops: number;
  /** Real time for all of it: connection, headers and body. */
  readonly timeoutMs: number;
}

/** The receiver's answer, or why there is none. */
export type Answer = Omit<Attempt, "at">;

/** What a request came to. */
export interface Outcome extends Answer {
  /** Where it failed; null when it did not. */
  readonly stage: FailureStage | null;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
}

/** How much of an answer is kept, in characters and in the most bytes that these can take. */
const MAX_KEPT_CHARACTERS = BOUNDS.answerCharacters.limit;
const MAX_KEPT_BYTES = MAX_KEPT_CHARACTERS * 4;
/** How much of an answer is read to keep the connection; a longer answer costs the connection. */
const MAX_READ_BYTES = BOUNDS.answerBytes.limit;

/** Sends a request through undici and reads the start of the answer. The signal, not aborted yet, ends it like a failure. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => new RequestHandler(request, resolve).start(dispatcher, signal));
}

/** The name that TLS asks for: that of the URL. An address has none. */
function tlsName({ hostname, host }: Target): string | undefined {
  const name = host === undefined ? hostname : new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, "");
  return isIP(name) === 0 ? name : undefined;
}

/** A request under way. It ends exactly once: with an answer, a failure, the timeout or an abort. */
class RequestHandler implements Dispatcher.DispatchHandler {
  readonly #request: OutboundRequest;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #startedAt = monotonicNow();
  #release = (): void => {};
  /** undici's handle of the request, once it has a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | null = null;
  #location: string | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(request: OutboundRequest, resolve: (outcome: Outcome) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  start(dispatcher: Dispatcher, signal: AbortSignal): void {
    const { target, body, timeoutMs, hops } = this.#request;
    const headers = { ...this.#request.headers, [HOPS_HEADER]: String(hops + 1) };
    // An answer that has arrived while the event loop was busy is in time: input is read before `soon`.
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
      // undici would take the name in TLS from a `Host` of the webhook's own: it stays that of the URL.
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
    // undici would fail an assertion over these, which takes seconds to put into words.
    if (status < 100 || status === 101)
      return this.#stop({ stage: "answer", message: `invalid response: its status is ${status}` });
    if (status < 200) return;
    this.#status = status;
    if (typeof location === "string") this.#location = location;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < MAX_KEPT_BYTES) this.#chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_READ_BYTES) this.#stop(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(describeFailure(error, this.#request.target.hostname));
  }

  #expire(): void {
    const isConnected = this.#controller !== undefined;
    const missing = !isConnected ? "a connection" : this.#status === null ? "an answer" : "the answer's end";
    this.#stop({
      stage: isConnected ? "answer" : "connection",
      message: `timed out after ${this.#request.timeoutMs} ms, waiting for ${missing}`,
    });
  }

  /** Ends the request and its connection. */
  #stop(failure: Failure | null): void {
    if (this.#isOver) return;
    this.#end(failure);
    this.#hangUp();
  }

  #hangUp(): void {
    this.#controller?.abort(new Error("the request is over"));
  }

  #end(failure: Failure | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#resolve({
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
    // A character of two halves is kept whole or not at all.
    return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
  }
}
