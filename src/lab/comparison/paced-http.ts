/** HTTP to a service that others use too: one call at a time, not too many a second, and none while it asks for a pause. */
import { isLocalHost } from "../../kernel/hosts.js";
import { httpInstantOf, later, monotonicNow, sleep, wallNow } from "../../kernel/realtime.js";
import { Http, type HttpCall, type RawAnswer } from "../../scenarios/http.js";

const PACE_MS = 500;
const MAX_RETRIES = 5;
/** A service that asks for a longer pause is left alone. */
const MAX_PAUSE_MS = 300_000;
const TOO_MANY = 429;

/** Least time between the beginnings of two calls to an address, ms. */
export const paceOf = (url: string): number => (isLocalHost(new URL(url).hostname) ? 0 : PACE_MS);

export class PacedHttp {
  readonly http = new Http();
  #next = Number.NEGATIVE_INFINITY;
  /** Why no further call is sent. */
  stopped: Error | undefined;
  /** Neither an interrupt nor `stopped` ends these calls: they undo something. */
  isUndoing = false;

  constructor(
    readonly url: string,
    readonly signal: AbortSignal,
    /** How long an answer may take, ms of real time. */
    readonly timeoutMs: number,
  ) {}

  /** Sends a call as any program would: with no header of the simulator, and uncompressed. @throws the signal's reason */
  async send(call: HttpCall): Promise<RawAnswer> {
    const headers = { "accept-encoding": "identity", ...call.headers };
    for (let retries = 0; ; retries += 1) {
      if (!this.isUndoing) this.signal.throwIfAborted();
      if (!this.isUndoing && this.stopped !== undefined) throw this.stopped;
      // A timer drops fractions of a millisecond.
      const pauseMs = Math.ceil(this.#next - monotonicNow());
      if (pauseMs > 0) await sleep(pauseMs, this.isUndoing ? undefined : this.signal);
      this.#next = monotonicNow() + paceOf(this.url);
      const late = new Error(`no response within ${this.timeoutMs} ms`);
      const stuck = later(this.timeoutMs, () => this.http.abort(late));
      const answer = await this.http.send({ ...call, headers }).finally(stuck.cancel);
      const isRefused = answer.status === TOO_MANY;
      const after = answer.headers["retry-after"];
      if (!isRefused && after === undefined) return answer;
      const asked = requestedPause(after);
      this.#next = Math.max(this.#next, monotonicNow() + Math.min(asked, MAX_PAUSE_MS));
      if ((isRefused && retries >= MAX_RETRIES) || asked > MAX_PAUSE_MS)
        this.stopped = new Error(
          `it requires a pause of ${Math.ceil(asked / 1000)} s: no further call was sent`,
        );
      if (!isRefused || this.stopped !== undefined) return answer;
    }
  }
}

/** What `Retry-After` asks for, ms: seconds or a date; a second where it says nothing that can be read. */
function requestedPause(header = ""): number {
  const pause = /^\d+$/.test(header) ? Number(header) * 1_000 : httpInstantOf(header) - wallNow();
  return Number.isNaN(pause) ? 1_000 : Math.max(0, pause);
}
