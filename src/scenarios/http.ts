/** HTTP as scenarios use it: connections that stay open, the calls of a scenario, the target they go to. */
import type { ClientRequest } from "node:http";
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { HttpRequest, HttpResponse } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import { controlApi } from "../client/transport.js";
import { BOUNDS } from "../kernel/bounds.js";
import { reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { DEFAULT_SANDBOX, sandboxToken } from "../kernel/names.js";
import { StepFailure } from "./report.js";

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The answer is too long, or never ends. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** A process that does not hold the sandbox answers so and closes the connection: a new one may reach the right process. */
const MISDIRECTED = 421;

interface HttpOptions {
  /** Accepts every certificate: the server is one of this process. */
  readonly isOwn?: boolean | undefined;
  /** Ends every call once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export class Http {
  readonly #agent: Agent;
  readonly #secureAgent: SecureAgent;
  readonly #calls = new Set<ClientRequest>();
  readonly #signal: AbortSignal | undefined;

  constructor({ isOwn = false, signal }: HttpOptions = {}) {
    const options = { keepAlive: true };
    this.#signal = signal;
    this.#agent = new Agent(options);
    this.#secureAgent = new SecureAgent({ ...options, ...(isOwn && { rejectUnauthorized: false }) });
  }

  /** Repeats a call that reached the wrong process, as `fetch` does. @throws the system's error when there is no answer */
  async send(call: HttpCall): Promise<RawAnswer> {
    const answer = await this.#send(call);
    return answer.status === MISDIRECTED ? this.#send(call) : answer;
  }

  #send({ method, url, headers, body }: HttpCall): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length }, signal: this.#signal };
      const call = url.startsWith("https:")
        ? secureRequest(url, { ...options, agent: this.#secureAgent })
        : request(url, { ...options, agent: this.#agent });
      this.#calls.add(call);
      // Deno would repeat a call whose kept-alive connection closes without an answer.
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
          refuse("the response is an event stream, which does not end");
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > BOUNDS.scenarioAnswerBytes.limit)
            refuse(`the response has more than ${BOUNDS.scenarioAnswerBytes.limit} bytes`);
          else chunks.push(chunk);
        });
        response.once("error", reject);
        response.once("aborted", () => reject(new Error("the response was cut off")));
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

  fetch = async (url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> => {
    const { status, headers: received, text } = await this.send({ method, url, headers, body });
    return {
      status,
      headers: { get: (name) => received[name] ?? null },
      body: null,
      text: async () => text,
    };
  };

  /** Makes pending calls fail with `error`. */
  abort(error: Error): void {
    for (const call of this.#calls) call.destroy(error);
  }

  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Null sends none; default: the scenario's. */
  readonly token?: string | null;
  /** Null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sent as JSON; text is sent verbatim. */
  readonly body?: unknown;
}

export interface ApiAnswer {
  /** Null when the connection was closed without an answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface ApiAccess {
  readonly url: string;
  readonly token: string | undefined;
  /** Its tokens go by their names in the fixture or in the sandbox. */
  readonly sandbox: string;
  readonly send: (call: HttpCall) => Promise<RawAnswer>;
}

/** Sends calls so that the journal knows that the scenario made them, not the system under test. */
export const sendAsScenario =
  (http: Http): ApiAccess["send"] =>
  (call) =>
    http.send({ ...call, headers: { ...call.headers, "x-sim-by": "scenario" } });

/** @throws StepFailure when the call cannot be sent at all */
export async function callApi(
  { method, path, token, headers = {}, body }: ApiCall,
  access: ApiAccess,
): Promise<ApiAnswer> {
  const { sandbox } = access;
  const name = token === undefined ? access.token : token;
  const sent: Record<string, string> = { "content-type": "application/json" };
  if (name !== undefined && name !== null)
    sent.token = name.startsWith(`${sandbox}.`) ? name : sandboxToken(sandbox, name);
  else if (sandbox !== DEFAULT_SANDBOX) sent["x-sim-sandbox"] = sandbox;
  for (const [header, value] of Object.entries(headers)) {
    if (value === null) delete sent[header.toLowerCase()];
    else sent[header.toLowerCase()] = value;
  }
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  try {
    const answer = await access.send({ method, url: access.url + path, headers: sent, body: text });
    return { status: answer.status, headers: answer.headers, body: parsedBody(answer.text) };
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw new StepFailure(`${method} ${path}: ${error.message}`);
    // Only an open connection can close without an answer.
    const { code = "", syscall } = error as NodeJS.ErrnoException;
    if (code.startsWith("ERR_") || syscall === "connect" || syscall === "getaddrinfo")
      throw new StepFailure(
        `${method} ${maskedAddress(access.url + path)} cannot be sent: ${reasonOf(error)}`,
      );
    return { status: null, headers: {}, body: undefined };
  }
}

export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export interface Target {
  readonly url: string;
  /** Default: `default`. */
  readonly sandbox?: string;
  readonly controlToken?: string | undefined;
  /** Runs in this process, so its certificate is trusted. */
  readonly isOwn?: boolean | undefined;
  /** Ends every call and run once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export const transportTo = (
  { url, sandbox = DEFAULT_SANDBOX, controlToken, ...options }: Target,
  http = new Http(options),
): Transport => controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch }).ofSandbox(sandbox);
