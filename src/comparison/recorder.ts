/** The connections of a run that is compared: they keep what the scenario's own calls were answered. */
import { later } from "../kernel/realtime.js";
import { bodyOf, MAKER_HEADER } from "../scenarios/calls.js";
import { Http, type HttpAnswer, type HttpCall } from "../scenarios/http.js";

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
  /** In what way the answer is not as the scenario expects. */
  readonly unexpected?: string;
}

export interface RecorderOptions {
  readonly base: string;
  /** The other side is no simulator that we know of: it gets nothing of ours. */
  readonly isForeign: boolean;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
}

export class RecordingHttp extends Http {
  readonly #options: RecorderOptions;
  #last: Recorded | undefined;

  constructor(options: RecorderOptions) {
    super();
    this.#options = options;
  }

  /** The scenario's newest call, once. */
  take(): Recorded | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last;
  }

  /** The newest call was not answered as the scenario expects. */
  remark(unexpected: string): void {
    if (this.#last !== undefined) this.#last = { ...this.#last, unexpected };
  }

  override async send(call: HttpCall): Promise<HttpAnswer> {
    if (call.headers[MAKER_HEADER] === undefined) return super.send(call);
    const { [MAKER_HEADER]: _, ...plain } = call.headers;
    const { base, isForeign } = this.#options;
    const made = {
      call: `${call.method} ${call.url.slice(base.length)}`,
      sent: call.body === undefined ? undefined : bodyOf(call.body),
    };
    try {
      const answer = await this.#inTime(super.send(isForeign ? { ...call, headers: plain } : call));
      const { status, headers, text } = answer;
      this.#last = { ...made, status, headers, body: text === "" ? undefined : bodyOf(text) };
      return answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = message === "" ? (code as string) : message;
      this.#last = { ...made, status: null, headers: {}, body: undefined, problem };
      throw error;
    }
  }

  async #inTime(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
    const { timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const end = later(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));
      answer.then(resolve, reject).finally(() => end.cancel());
    });
  }
}
