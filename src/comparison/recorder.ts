import { given } from "../kernel/given.js";
import { later } from "../kernel/realtime.js";
import { parsedBody } from "../scenarios/api.js";
import type { Http, HttpAnswer, HttpCall } from "../scenarios/http.js";

/** A call of the scenario as it went out, and what came back. */
export interface Recorded {
  /** `POST /api/update-thread-status` */
  readonly call: string;
  /** The parsed body that was sent. */
  readonly sent: unknown;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Why there was no answer. */
  readonly problem?: string;
}

export interface RecorderOptions {
  readonly http: Http;
  readonly base: string;
  /** Headers that every call carries beside its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
}

/** Sends a scenario's own calls, and keeps what the newest was answered. */
export class ApiRecorder {
  readonly #options: RecorderOptions;
  #last: Recorded | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** The newest call, once. */
  take(): Recorded | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last;
  }

  send = async (call: HttpCall): Promise<HttpAnswer> => {
    const { http, base, headers: more } = this.#options;
    const made = {
      call: `${call.method} ${call.url.slice(base.length)}`,
      sent: call.body === undefined ? undefined : parsedBody(call.body),
    };
    try {
      const answer = await this.#inTime(http.send({ ...call, headers: { ...call.headers, ...more } }));
      const { status, headers, text } = answer;
      this.#last = { ...made, status, headers, body: text === "" ? undefined : parsedBody(text) };
      return answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = message === "" ? code : message;
      this.#last = { ...made, status: null, headers: {}, body: undefined, ...given({ problem }) };
      throw error;
    }
  };

  #inTime(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
    const { timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const end = later(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));
      answer.then(resolve, reject).finally(() => end.cancel());
    });
  }
}
