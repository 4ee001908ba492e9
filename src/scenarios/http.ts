/** HTTP as the runner does it: connections that stay open, a tenth of what `fetch` takes. */
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { SimError } from "../client/errors.js";
import {
  queryText,
  refusal,
  Transport,
  type TransportAnswer,
  type TransportCall,
} from "../client/transport.js";

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

/** The connections of one run. */
export class Http {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #secureAgent = new SecureAgent({ keepAlive: true });

  /** @throws the system's error when there is no answer */
  send({ method, url, headers, body }: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const isSecure = url.startsWith("https:");
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length } };
      const call = isSecure
        ? secureRequest(url, { ...options, agent: this.#secureAgent })
        : request(url, { ...options, agent: this.#agent });
      call.once("error", reject);
      call.once("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
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

  /** Closes what is idle. */
  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }
}

/** The client's way to the control API over the connections of a run. */
export class RunTransport extends Transport {
  readonly #http: Http;

  constructor(base: string, controlToken: string | undefined, http: Http) {
    super(base, controlToken);
    this.#http = http;
  }

  override async answer<T>(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    { query, body, accept = [] }: TransportCall = {},
  ): Promise<TransportAnswer<T>> {
    const url = `${this.base}${path}${queryText(query)}`;
    const { status, headers, text } = await this.#http
      .send({
        method,
        url,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(this.controlToken === undefined ? {} : { authorization: `Bearer ${this.controlToken}` }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      .catch((error: Error) => {
        const message = `${method} ${url}: no simulator answers there: ${error.message || (error as NodeJS.ErrnoException).code}`;
        throw new SimError(message, null, "unreachable", [], { cause: error });
      });
    const isJson = headers["content-type"]?.includes("json") === true;
    const parsed = (isJson ? JSON.parse(text) : text) as T;
    if ((status >= 200 && status < 300) || accept.includes(status)) return { status, body: parsed };
    throw refusal(`${method} ${url}`, status, parsed);
  }
}
