/** HTTP as scenarios use it: connections that stay open, the calls of a scenario, the target they go to. */
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { HttpRequest, HttpResponse } from "../client/http.js";
import { send, UnreadableAnswer } from "../client/http.js";
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
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

interface HttpOptions {
  /** Accepts every certificate: the server is one of this process. */
  readonly isOwn?: boolean | undefined;
  /** Ends every call once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

const CONNECTIONS = { keepAlive: true };
const MAX_LENGTH = BOUNDS.scenarioAnswerBytes.limit;

export class Http {
  readonly #agents: Readonly<Record<"http:" | "https:", Agent>>;
  readonly #signal: AbortSignal | undefined;
  #pending = new AbortController();

  constructor({ isOwn = false, signal }: HttpOptions = {}) {
    this.#signal = signal;
    this.#agents = {
      "http:": new Agent(CONNECTIONS),
      "https:": new SecureAgent({ ...CONNECTIONS, ...(isOwn && { rejectUnauthorized: false }) }),
    };
  }

  /** @throws UnreadableAnswer, the system's error when there is no answer */
  async send({ url, ...call }: HttpCall): Promise<ApiAnswer & { readonly status: number }> {
    const { status, headers, text } = await this.fetch(url, call);
    return { status, headers: Object.fromEntries(headers), body: parsedBody(await text()) };
  }

  /** Reads the whole answer. @throws what `abort` was given; as `send` */
  fetch = async (url: string, call: HttpRequest): Promise<HttpResponse> => {
    const pending = this.#pending.signal;
    const signal = this.#signal === undefined ? pending : AbortSignal.any([this.#signal, pending]);
    const agent = this.#agents[url.startsWith("https:") ? "https:" : "http:"];
    try {
      const response = await send(url, { ...call, signal }, { agent, maxLength: MAX_LENGTH });
      const { status, headers } = response;
      if (headers.get("content-type")?.startsWith("text/event-stream")) {
        await response.body?.cancel();
        throw new UnreadableAnswer("the response is an event stream, which does not end");
      }
      const text = await response.text();
      return { status, headers, body: null, text: async () => text };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  };

  /** Makes pending calls fail. */
  abort(error: Error): void {
    this.#pending.abort(error);
    this.#pending = new AbortController();
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
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
  readonly send: (call: HttpCall) => Promise<ApiAnswer>;
}

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
    return await access.send({ method, url: access.url + path, headers: sent, body: text });
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
