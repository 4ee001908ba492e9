/** The other side, which others use too: one call at a time, not too many a second, none while it asks for a pause, and no secret in reports. */
import { reasonOf } from "../../kernel/errors.js";
import { isLocalHost } from "../../kernel/hosts.js";
import { mapLeaves } from "../../kernel/json.js";
import { maskedAddress, maskedText } from "../../kernel/masking.js";
import { UnusableDocument } from "../../kernel/problems.js";
import { httpInstantOf, later, monotonicNow, sleep, wallNow } from "../../kernel/realtime.js";
import { Http, type HttpCall } from "../../scenarios/http.js";
import { STAND_IN } from "../../scenarios/varying.js";

const PACE_MS = 500;
/** For an answer. */
const MAX_WAIT_MS = 30_000;
const MAX_RETRIES = 5;
/** A service that asks for a longer pause is left alone. */
const MAX_PAUSE_MS = 300_000;
const TOO_MANY = 429;

/** Least time between the beginnings of two calls to an address, ms. */
export const paceOf = (url: string): number => (isLocalHost(new URL(url).hostname) ? 0 : PACE_MS);

/** A real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Sent in place of the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Aborted by the user, or by a pause that is too long: no further call is made but those that undo something. */
  readonly ended: AbortController;
}

/** Input is unusable because of the other side: it does not answer, refuses a token, or lacks what an option names. */
export const otherSideFailed = (option: string, message: string) =>
  new UnusableDocument([{ path: `--${option}`, message }]);

export class OtherSide extends Http {
  /** How messages name the address. */
  readonly name: string;
  /** These calls are sent also after the end: they undo something. */
  isUndoing = false;
  #next = Number.NEGATIVE_INFINITY;

  constructor(readonly against: Against) {
    super();
    this.name = maskedAddress(against.url);
  }

  /** Sends a call as any program would, without a header of the simulator. @throws the reason of the end */
  override async send(call: HttpCall): ReturnType<Http["send"]> {
    const { url, ended } = this.against;
    const signal = this.isUndoing ? undefined : ended.signal;
    for (let retries = 0; ; retries += 1) {
      signal?.throwIfAborted();
      // A timer drops fractions of a millisecond.
      const pauseMs = Math.ceil(this.#next - monotonicNow());
      if (pauseMs > 0) await sleep(pauseMs, signal);
      this.#next = monotonicNow() + paceOf(url);
      const stuck = later(MAX_WAIT_MS, () => this.abort(new Error("no response")));
      const answer = await super.send(call).finally(stuck.cancel);
      const isRefused = answer.status === TOO_MANY;
      const after = answer.headers["retry-after"];
      if (!isRefused && after === undefined) return answer;
      const asked = requestedPause(after);
      this.#next = Math.max(this.#next, monotonicNow() + Math.min(asked, MAX_PAUSE_MS));
      const isTooLong = asked > MAX_PAUSE_MS || (isRefused && retries >= MAX_RETRIES);
      const message = `${this.name}: it requires a pause of ${Math.ceil(asked / 1000)} s: no further call was sent`;
      if (isTooLong) ended.abort(otherSideFailed("against", message));
      if (!isRefused || isTooLong) return answer;
    }
  }

  /** A call of the comparison itself, with the main token. @throws UnusableDocument if there is no answer */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const { url, token, ended } = this.against;
    const headers = { "content-type": "application/json", token };
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      return await this.send({ method, url: url + path, headers, body: text });
    } catch (error) {
      if (!this.isUndoing) ended.signal.throwIfAborted();
      throw otherSideFailed("against", `${this.name} does not respond: ${reasonOf(error)}`);
    }
  }

  /** A value without the tokens, and without passwords in addresses. */
  hide<T>(value: T): T {
    const secrets = [this.against.token, ...Object.values(this.against.tokens)].filter((one) => one !== "");
    const hidden = (text: string) =>
      secrets.reduce((shown, secret) => shown.replaceAll(secret, STAND_IN), maskedText(text));
    // Only texts change.
    return mapLeaves(value, (leaf) => (typeof leaf === "string" ? hidden(leaf) : leaf)) as T;
  }
}

/** What `Retry-After` asks for, ms: seconds or a date; a second where it says nothing that can be read. */
function requestedPause(header = ""): number {
  const pause = /^\d+$/.test(header) ? Number(header) * 1_000 : httpInstantOf(header) - wallNow();
  return Number.isNaN(pause) ? 1_000 : Math.max(0, pause);
}
