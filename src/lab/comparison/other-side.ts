/** The other side: what is sent to it, and what is secret in that. */
import { reasonOf } from "../../kernel/errors.js";
import { maskedAddress } from "../../kernel/masking.js";
import { type HttpAnswer, type HttpCall, parsedBody } from "../../scenarios/http.js";
import { PacedHttp } from "../../scenarios/paced-http.js";
import { SecretTexts } from "../../scenarios/trace.js";

/** A real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Sent in place of the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
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

export class OtherSide extends PacedHttp {
  readonly secrets = new SecretTexts();
  /** How messages name the address. */
  readonly name: string;

  constructor(readonly against: Against) {
    super(against.url, against.signal, against.timeoutMs);
    this.name = maskedAddress(against.url);
    this.secrets.add(against.token, ...Object.values(against.tokens));
  }

  override async send(call: HttpCall): Promise<HttpAnswer> {
    this.secrets.learn(call.headers);
    this.secrets.learn(parsedBody(call.body ?? ""));
    const answer = await super.send(call);
    this.secrets.learn(parsedBody(answer.text));
    return answer;
  }

  /** A call of the comparison itself, with the main token. @throws OtherSideFailed if there is no answer */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { "content-type": "application/json", token: this.against.token };
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const answer = await this.send({ method, url: this.url + path, headers, body: text });
      return { status: answer.status, body: parsedBody(answer.text) };
    } catch (error) {
      if (!this.isUndoing) this.signal.throwIfAborted();
      throw new OtherSideFailed("against", `${this.name} does not respond: ${reasonOf(error)}`);
    }
  }
}
