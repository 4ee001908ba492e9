/** HTTP as scenarios use it: connections that stay open, the calls of a scenario, the target they go to. */
import type { AgentOptions, ClientRequest, RequestOptions } from "node:http";
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { DEFAULT_SANDBOX, sandboxToken } from "../client/address.js";
import type { HttpRequest, HttpResponse } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import { controlApi } from "../client/transport.js";
import { BOUNDS } from "../kernel/bounds.js";
import { maskedAddress } from "../kernel/masking.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { ApiAnswer, ApiCall } from "./step.js";
import { StepFailure } from "./step.js";

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

/** Leads to a server of this process: by connections, which speak plain HTTP, or with calls that nobody has to read off one. */
interface LocalServer extends Agent {
  call(call: HttpCall): { readonly answer: Promise<HttpAnswer>; destroy(error: Error): unknown };
}

/** A longer answer is not read, bytes. */
const MAX_ANSWER_BYTES = BOUNDS.scenarioAnswerBytes.limit;
const TOO_LONG = `the answer has more than ${MAX_ANSWER_BYTES} bytes`;

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
  /** Leads to a server of this process, whatever the address says; it is somebody else's. */
  readonly agent?: LocalServer | undefined;
  /** So many there are at once to an address; calls beyond them wait. Default: any number. */
  readonly connections?: number;
}

/** The connections of one run. */
export class Http {
  readonly #shared: LocalServer | undefined;
  readonly #options: AgentOptions;
  #agent: Agent | undefined;
  #secureAgent: SecureAgent | undefined;
  readonly #calls = new Set<{ destroy(error: Error): unknown }>();

  constructor({ agent, connections = Number.POSITIVE_INFINITY }: HttpOptions = {}) {
    this.#shared = agent;
    this.#options = { keepAlive: true, maxSockets: connections };
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
          if (bytes > MAX_ANSWER_BYTES) refuse(TOO_LONG);
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
    if (this.#shared !== undefined)
      return request(url.replace(/^https:/, "http:"), { ...options, agent: this.#shared });
    if (url.startsWith("https:")) {
      this.#secureAgent ??= new SecureAgent(this.#options);
      return secureRequest(url, { ...options, agent: this.#secureAgent });
    }
    this.#agent ??= new Agent(this.#options);
    return request(url, { ...options, agent: this.#agent });
  }

  /** The same for a call that nobody has to read off a connection, where the server is in this process. */
  async #hand(call: HttpCall, agent: LocalServer): Promise<HttpAnswer> {
    const response = agent.call(call);
    this.#calls.add(response);
    const answer = await response.answer.finally(() => this.#calls.delete(response));
    if (Buffer.byteLength(answer.text) > MAX_ANSWER_BYTES) throw new UnreadableAnswer(TOO_LONG);
    return answer;
  }

  /** A control call, in the form in which a transport makes it. */
  fetch = async (url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> => {
    const call = { method, url, headers, body };
    const {
      status,
      headers: received,
      text,
    } = await onceMore(() =>
      this.#shared === undefined ? this.#send(call) : this.#hand(call, this.#shared),
    );
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

/** Tells the journal that the scenario made the call, not the system under test. */
const MAKER_HEADER = { "x-sim-by": "scenario" };

/** Where calls go, and with what token. */
interface ApiAccess {
  readonly url: string;
  /** The token of calls that name none. */
  readonly token: string | undefined;
  /** Its tokens are named as in the fixture, or as they are in the sandbox. */
  readonly sandbox: string;
  readonly send: (call: HttpCall) => Promise<HttpAnswer>;
}

/** Sends calls so that the journal knows who made them. */
export const sendAsScenario =
  (http: Http): ApiAccess["send"] =>
  (call) =>
    http.send({ ...call, headers: { ...call.headers, ...MAKER_HEADER } });

const apiKeyIn = (sandbox: string, name: string): string =>
  name.startsWith(`${sandbox}.`) ? name : sandboxToken(sandbox, name);

/** @throws StepFailure when the call cannot be sent at all */
export async function callApi(
  { method, path, token, headers = {}, body }: ApiCall,
  access: ApiAccess,
): Promise<ApiAnswer> {
  const name = token === undefined ? access.token : token;
  const sent: Record<string, string> = { "content-type": "application/json" };
  if (name !== undefined && name !== null) sent.token = apiKeyIn(access.sandbox, name);
  else if (access.sandbox !== DEFAULT_SANDBOX) sent["x-sim-sandbox"] = access.sandbox;
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
    // Only a connection that was made can be closed without an answer.
    const { code = "", syscall } = error as NodeJS.ErrnoException;
    if (code.startsWith("ERR_") || syscall === "connect" || syscall === "getaddrinfo")
      throw new StepFailure(
        `${method} ${maskedAddress(access.url + path)} cannot be sent: ${reasonOf(error)}`,
      );
    return { status: null, headers: {}, body: undefined };
  }
}

/** A body as JSON where it is some, else as text. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Where a scenario runs. */
export interface Target {
  /** The base address of the simulated API. */
  readonly url: string;
  /** The id of the sandbox; default: `default`. */
  readonly sandbox?: string;
  readonly controlToken?: string | undefined;
  /** Leads to it in this process. Default: the network does. */
  readonly agent?: LocalServer | undefined;
}

/** The control API of a target's sandbox. */
export const transportTo = (
  { url, sandbox = DEFAULT_SANDBOX, controlToken, agent }: Target,
  http = new Http({ agent }),
): Transport => controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch }).ofSandbox(sandbox);
