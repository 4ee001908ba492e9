/** The calls to the other side: one at a time, at a pace that a real service bears, and what is secret in them. */
import { reasonOf } from "../../kernel/errors.js";
import { isLocalHost } from "../../kernel/hosts.js";
import { maskedAddress } from "../../kernel/masking.js";
import { httpInstantOf, later, monotonicNow, sleep, wallNow } from "../../kernel/realtime.js";
import { Http, type HttpAnswer, type HttpCall, parsedBody } from "../../scenarios/http.js";
import { SecretTexts } from "../../scenarios/trace.js";

/** The other side: a real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Sent in place of the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Aborted by the user: no further call is made but those that undo something. */
  readonly signal: AbortSignal;
}

/** The other side does not answer, refuses a token, or lacks what was named by `option`. */
export class OtherSideFailed extends Error {
  override readonly name = "OtherSideFailed";

  constructor(
    readonly option: string,
    message: string,
  ) {
    super(message);
  }
}

const PACE_MS = 500;
const ANSWER_MS = 30_000;
const MAX_RETRIES = 5;
/** A service that asks for a longer pause is left alone. */
const MAX_PAUSE_MS = 300_000;
const TOO_MANY = 429;

/** Least time between the beginnings of two calls to an address, ms. */
export const paceOf = (url: string): number => (isLocalHost(new URL(url).hostname) ? 0 : PACE_MS);

export class OtherSide {
  readonly http = new Http();
  readonly secrets = new SecretTexts();
  #next = Number.NEGATIVE_INFINITY;
  /** Why no further call is sent. */
  stopped: OtherSideFailed | undefined;
  /** An interrupt ends no call that undoes something. */
  isUndoing = false;

  constructor(readonly against: Against) {
    this.secrets.add(against.token, ...Object.values(against.tokens));
  }

  /** How messages name the address. */
  get name(): string {
    return maskedAddress(this.against.url);
  }

  /** Sends a call as any program would: with no header of the simulator, and uncompressed. */
  readonly send = async (call: HttpCall): Promise<HttpAnswer> => {
    const { signal, url } = this.against;
    this.secrets.learn(call.headers);
    this.secrets.learn(parsedBody(call.body ?? ""));
    const headers = { "accept-encoding": "identity", ...call.headers };
    for (let retries = 0; ; retries += 1) {
      if (!this.isUndoing) signal.throwIfAborted();
      if (!this.isUndoing && this.stopped !== undefined) throw this.stopped;
      // A timer drops fractions of a millisecond.
      const pauseMs = Math.ceil(this.#next - monotonicNow());
      if (pauseMs > 0) await sleep(pauseMs, this.isUndoing ? undefined : signal);
      this.#next = monotonicNow() + paceOf(url);
      const late = new Error(`no response within ${ANSWER_MS / 1000} s`);
      const stuck = later(ANSWER_MS, () => this.http.abort(late));
      const answer = await this.http.send({ ...call, headers }).finally(stuck.cancel);
      this.secrets.learn(parsedBody(answer.text));
      const isRefused = answer.status === TOO_MANY;
      const after = answer.headers["retry-after"];
      if (!isRefused && after === undefined) return answer;
      const asked = requestedPause(after);
      this.#next = Math.max(this.#next, monotonicNow() + Math.min(asked, MAX_PAUSE_MS));
      if ((isRefused && retries >= MAX_RETRIES) || asked > MAX_PAUSE_MS)
        this.stopped = new OtherSideFailed(
          "against",
          `${this.name} requires a pause of ${Math.ceil(asked / 1000)} s: no further call was sent`,
        );
      if (!isRefused || this.stopped !== undefined) return answer;
    }
  };

  /** A call of the comparison itself, with the main token. @throws OtherSideFailed if there is no answer */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const { url, token, signal } = this.against;
    const headers = { "content-type": "application/json", token };
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const answer = await this.send({ method, url: url + path, headers, body: text });
      return { status: answer.status, body: parsedBody(answer.text) };
    } catch (error) {
      if (!this.isUndoing) signal.throwIfAborted();
      throw new OtherSideFailed("against", `${this.name} does not respond: ${reasonOf(error)}`);
    }
  }
}

/** What `Retry-After` asks for, ms: seconds or a date; a second where it says nothing that can be read. */
function requestedPause(header = ""): number {
  const pause = /^\d+$/.test(header) ? Number(header) * 1_000 : httpInstantOf(header) - wallNow();
  return Number.isNaN(pause) ? 1_000 : Math.max(0, pause);
}
