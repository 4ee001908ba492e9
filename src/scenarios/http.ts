/** HTTP as the runner does it: connections that stay open, a tenth of what `fetch` takes. */
import type { ClientRequest, RequestOptions } from "node:http";
import { Agent, request } from "node:http";
import type { AgentOptions as SecureAgentOptions } from "node:https";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { HttpRequest, HttpResponse } from "../client/http.js";
import { BOUNDS } from "../kernel/bounds.js";

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A longer answer is not read, bytes. */
const MAX_ANSWER_BYTES = BOUNDS.scenarioAnswerBytes.limit;

/** An answer came that nobody can read to its end. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Whoever does not have what is wanted answers so, and has closed the connection: another one may lead to who has it. */
const MISDIRECTED = 421;

/** Makes a call once more that the wrong process got, as `fetch` does. */
async function onceMore<A extends { readonly status: number }>(send: () => Promise<A>): Promise<A> {
  const answer = await send();
  return answer.status === MISDIRECTED ? send() : answer;
}

interface HttpOptions {
  /** Accepts every certificate: the server is one of this process. */
  readonly isOwn?: boolean | undefined;
  /** So many there are at once to an address; calls beyond them wait. Default: any number. */
  readonly connections?: number;
}

/** The connections of one run. */
export class Http {
  readonly #options: SecureAgentOptions;
  #agent: Agent | undefined;
  #secureAgent: SecureAgent | undefined;
  readonly #calls = new Set<ClientRequest>();

  constructor({ isOwn = false, connections = Number.POSITIVE_INFINITY }: HttpOptions = {}) {
    this.#options = { keepAlive: true, maxSockets: connections, rejectUnauthorized: !isOwn };
  }

  /** @throws the system's error when there is no answer */
  send(call: HttpCall): Promise<HttpAnswer> {
    return onceMore(() => this.#send(call));
  }

  #send({ method, url, headers, body }: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const call = this.#request(url, { method, headers: { ...headers, ...length } });
      this.#calls.add(call);
      // Deno makes a call again by itself whose kept connection ends without an answer.
      call.once("socket", () => Object.assign(call, { reusedSocket: false }));
      call.once("close", () => this.#calls.delete(call));
      call.once("error", reject);
      call.once("response", (response) => {
        const refuse = (why: string) => {
          reject(new UnreadableAnswer(why));
          call.destroy();
        };
        const { "content-type": type = "" } = response.headers;
        if (type.startsWith("text/event-stream"))
          refuse("the answer is a stream of events, which does not end");
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) refuse(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
          else chunks.push(chunk);
        });
        response.once("error", reject);
        response.once("aborted", () => reject(new Error("the answer broke off")));
        response.once("end", () =>
          resolve({
            status: response.statusCode as number,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
            ),
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      });
      call.end(body);
    });
  }

  #request(url: string, options: RequestOptions): ClientRequest {
    if (url.startsWith("https:")) {
      this.#secureAgent ??= new SecureAgent(this.#options);
      return secureRequest(url, { ...options, agent: this.#secureAgent });
    }
    this.#agent ??= new Agent(this.#options);
    return request(url, { ...options, agent: this.#agent });
  }

  /** A control call, in the form in which a transport makes it. */
  fetch = async (url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> => {
    const { status, headers: received, text } = await this.send({ method, url, headers, body });
    return {
      status,
      headers: { get: (name) => received[name] ?? null },
      body: null,
      text: async () => text,
    };
  };

  /** Ends the calls under way: they fail with `error`. */
  abort(error: Error): void {
    for (const call of this.#calls) call.destroy(error);
  }

  /** Closes what is idle. */
  close(): void {
    this.#agent?.destroy();
    this.#secureAgent?.destroy();
  }
}
