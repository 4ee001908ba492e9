import type { Dispatcher } from "undici";
import type { Later } from "../kernel/realtime.js";
import { later, monotonicNow, soon } from "../kernel/realtime.js";
import type { Stage } from "./failure.js";
import { failureOf } from "./failure.js";
import type { Headers } from "./headers.js";
import type { Target } from "./target.js";

/** One HTTP request to a receiver. */
export interface OutboundRequest {
  readonly target: Target;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Real time for all of it: connection, headers and body, ms. */
  readonly timeoutMs: number;
}

/** What came of a letter. */
export interface Outcome {
  /** The receiver's status; null when there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** What could be read of the answer's body, at most 4,096 characters; null without a status. */
  readonly responseBody: string | null;
  /** Where it failed; null when it did not. */
  readonly stage: Stage | null;
}

/** How many characters of an answer are kept, and the most bytes that those can take. */
const KEPT_CHARACTERS = 4_096;
const KEPT_BYTES = KEPT_CHARACTERS * 4;
/** How many bytes are read and dropped to keep the connection, before it is given up. */
const DRAINED_BYTES = 65_536;

const noop = (): void => {};

/** A letter on its way. Ends exactly once: with an answer, a failure, the timeout, or without a word when abandoned. */
export class Call implements Dispatcher.DispatchHandler {
  readonly letter: OutboundRequest;
  #done: (outcome: Outcome) => void;
  /** Tells the sender that the connection is free for another call. */
  readonly #left: (call: Call) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: Later | undefined;
  #startedAt = 0;
  #over = false;
  #status: number | null = null;
  #chunks: Buffer[] | undefined;
  #bytes = 0;

  constructor(letter: OutboundRequest, done: (outcome: Outcome) => void, left: (call: Call) => void) {
    this.letter = letter;
    this.#done = done;
    this.#left = left;
  }

  get over(): boolean {
    return this.#over;
  }

  start(dispatcher: Dispatcher): void {
    const { target, headers, body, timeoutMs } = this.letter;
    this.#startedAt = monotonicNow();
    // An answer that is here already, and was only not read while the event loop was busy, is in time.
    this.#timer = later(timeoutMs, () => soon(() => this.#expire()));
    dispatcher.dispatch(
      {
        origin: target.origin,
        path: target.path,
        method: "POST",
        headers: target.host === undefined ? headers : { ...headers, host: target.host },
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  /** Ends it without an outcome. */
  abandon(): void {
    this.#done = noop;
    this.#end(null, null);
    this.#hangUp();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) this.#hangUp();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < KEPT_BYTES) (this.#chunks ??= []).push(chunk.subarray(0, KEPT_BYTES - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes <= DRAINED_BYTES) return;
    this.#end(null, null);
    this.#hangUp();
  }

  onResponseEnd(): void {
    this.#end(null, null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    const { stage, words } = failureOf(error, this.letter.target.hostname);
    this.#end(words, stage);
  }

  #expire(): void {
    if (this.#over) return;
    const waitingFor =
      this.#controller === undefined
        ? "a connection"
        : this.#status === null
          ? "an answer"
          : "the answer's end";
    const stage = this.#controller === undefined ? "connection" : "answer";
    this.#end(`timed out after ${this.letter.timeoutMs} ms, waiting for ${waitingFor}`, stage);
    this.#hangUp();
  }

  #hangUp(): void {
    this.#controller?.abort(new Error("the call is over"));
  }

  #end(error: string | null, stage: Stage | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.cancel();
    this.#left(this);
    this.#done({
      status: this.#status,
      durationMs: Math.round((monotonicNow() - this.#startedAt) * 1000) / 1000,
      error,
      responseBody: this.#status === null ? null : this.#text(),
      stage,
    });
  }

  #text(): string {
    const chunks = this.#chunks;
    if (chunks === undefined) return "";
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const text = bytes.toString("utf8").slice(0, KEPT_CHARACTERS);
    // A character of two halves is kept whole or not at all.
    return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
  }
}
