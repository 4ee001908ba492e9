/** The calls that probes send to a service: one at a time, at its pace, and recorded. */

import { httpInstantOf, isoOf, later, monotonicNow, sleep, wallNow } from "../../kernel/realtime.js";
import { type Http, type HttpAnswer, type HttpCall, parsedBody } from "../../scenarios/http.js";
import { type HarEntry, type HarPair, harEntryOf, seenText } from "../proxy/har.js";
import { Redactor } from "../proxy/redact.js";

/** The service, and what probes may use there. */
export interface ProbedService {
  readonly url: string;
  readonly token: string;
  readonly thread?: string | undefined;
  readonly customer?: string | undefined;
  /** The address at which the service reaches this process's receiver. */
  readonly hook?: string | undefined;
  /** Whether probes may change `thread` and `customer`, and create webhooks. */
  readonly write: boolean;
}

export interface ProbeOptions {
  /** Port of the receiver, on loopback. */
  readonly hookPort: number;
  /** Aborted by the user: the rest is skipped, and what was changed is undone. */
  readonly signal: AbortSignal;
  readonly onProbe: (name: string) => void;
  /** Least time between the beginnings of two calls, ms. */
  readonly paceMs?: number;
}

/** The service cannot be probed at all. */
export class CannotProbe extends Error {
  constructor(
    /** The option that is wrong. */
    readonly option: string,
    message: string,
  ) {
    super(message);
  }
}

export const PACE_MS = 500;
const ANSWER_MS = 30_000;
const MAX_RETRIES = 5;
/** A service that asks for a longer pause is left alone. */
const MAX_PAUSE_MS = 300_000;

/** Calls of one service, one at a time, at its pace, and all that was seen of it. */
export class ServiceLine {
  readonly #seen: { readonly begun: number; readonly entry: HarEntry }[] = [];
  #next = Number.NEGATIVE_INFINITY;
  /** An interrupt ends no call that undoes something. */
  isUndoing = false;
  /** Why the service gets no further call of a probe. */
  stopped: string | undefined;

  constructor(
    readonly http: Http,
    readonly service: ProbedService,
    readonly options: ProbeOptions,
  ) {}

  /** The exchanges, without secrets and personal data. */
  entries(): HarEntry[] {
    const redactor = new Redactor();
    const ordered = this.#seen.toSorted((a, b) => a.begun - b.begun);
    return ordered.map(({ entry }) => redactor.learn(entry)).map(({ redacted }) => redacted());
  }

  add(begun: number, entry: HarEntry): void {
    this.#seen.push({ begun, entry });
  }

  readonly send = async (call: HttpCall): Promise<HttpAnswer> => {
    for (let retries = 0; ; retries += 1) {
      if (!this.isUndoing) {
        this.options.signal.throwIfAborted();
        if (this.stopped !== undefined) throw new Error(this.stopped);
      }
      await this.#pause(this.#next - monotonicNow());
      const begun = monotonicNow();
      const startedAt = isoOf(wallNow());
      this.#next = begun + (this.options.paceMs ?? PACE_MS);
      const stuck = later(ANSWER_MS, () =>
        this.http.abort(new Error(`no response within ${ANSWER_MS / 1000} s`)),
      );
      const answer = await this.http.send(call).finally(stuck.cancel);
      const wait = monotonicNow() - begun;
      this.add(begun, entryOf(call, answer, { startedAt, wait }));
      const isRefused = answer.status === 429;
      const after = answer.headers["retry-after"];
      if (!isRefused && after === undefined) return answer;
      const pause = pauseOf(after);
      if ((isRefused && retries >= MAX_RETRIES) || pause > MAX_PAUSE_MS) {
        this.stopped = `the probes ended early: the service requires a pause of ${Math.ceil(pause / 1000)} s`;
        return answer;
      }
      this.#next = Math.max(this.#next, monotonicNow() + pause);
      if (!isRefused) return answer;
    }
  };

  /** A call of the driver itself. */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const { url, token } = this.service;
    const headers = { "content-type": "application/json", token };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.send({ method, url: url + path, headers, body: text });
    return { status: answer.status, body: parsedBody(answer.text) };
  }

  #pause(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    // A timer drops fractions of a millisecond.
    return sleep(Math.ceil(ms), this.isUndoing ? undefined : this.options.signal);
  }
}

/** What `Retry-After` asks for, ms: seconds or a date; a second where it says nothing that can be read. */
function pauseOf(header = ""): number {
  const pause = /^\d+$/.test(header) ? Number(header) * 1_000 : httpInstantOf(header) - wallNow();
  return Number.isNaN(pause) ? 1_000 : Math.max(0, pause);
}

const pairs = (headers: Readonly<Record<string, string>>): HarPair[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));
const entryOf = (
  { method, url, headers, body = "" }: HttpCall,
  answer: HttpAnswer,
  { startedAt, wait }: { readonly startedAt: string; readonly wait: number },
): HarEntry =>
  harEntryOf({
    direction: "call",
    startedAt,
    timings: { send: 0, wait, receive: 0 },
    method,
    url,
    headers: pairs(headers),
    body: seenText(body),
    status: answer.status,
    statusText: "",
    responseHeaders: pairs(answer.headers),
    responseBody: seenText(answer.text),
  });
