import { reasonOf } from "../kernel/errors.js";
import { CONTROL_PREFIX, DEFAULT_SANDBOX, segment } from "../kernel/names.js";
import { printable } from "../kernel/printable.js";
import { SimError } from "./errors.js";
import type { HttpRequest, HttpResponse, Method } from "./http.js";
import { send } from "./http.js";
import type { RouteLine, RouteMethod } from "./routes.js";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface TransportOptions {
  readonly controlToken?: string | undefined;
  /** Who makes the calls, for the log of control calls. */
  readonly maker?: "page" | "scenario" | undefined;
  /**
   * Sends the calls; default: `node:http`, in browsers `fetch`. It rejects if there is no answer, and retries once on another
   * connection after a 421, as `fetch` does.
   */
  readonly fetch?: (url: string, request: HttpRequest) => Promise<HttpResponse>;
}

interface TransportCall {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Statuses besides 2xx that are returned instead of thrown. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

interface ErrorBody {
  readonly error?: Partial<Pick<SimError, "code" | "message" | "details">>;
}

/**
 * Calls to the control API below one address, in Node and browsers.
 *
 * @example
 * const transport = new Transport("/__sim").ofSandbox("s1");
 * const thread = await transport.route("POST /threads/:id/window")("9001", { open: true });
 */
export class Transport {
  readonly #options: TransportOptions;

  constructor(
    /** Such as `http://127.0.0.1:4020/__sim`. */
    readonly base: string,
    options: TransportOptions = {},
  ) {
    this.#options = options;
  }

  /** The routes of one sandbox, on the server that this transport reaches. */
  ofSandbox(id: string): Transport {
    return id === DEFAULT_SANDBOX
      ? this
      : new Transport(`${this.base}/sandboxes/${segment(id)}`, this.#options);
  }

  /** A method that calls a route, given the parts of its path, then its query for GET, or else its body. It throws SimErrors. */
  route<Line extends RouteLine>(line: Line): RouteMethod<Line> {
    const [method, path = ""] = line.split(" ");
    return (...given) => {
      const left: unknown[] = [...given];
      const address = path.replace(/:\w+/g, () => segment(String(left.shift())));
      const [input] = left;
      const call = method === "GET" ? { query: input as Query } : { body: input };
      return this.call(method as Method, address, call);
    };
  }

  /** The body of a successful answer. @throws SimError */
  async call<T>(method: Method, path: string, call: TransportCall = {}): Promise<T> {
    return (await this.answer<T>(method, path, call)).body;
  }

  async answer<T>(
    method: Method,
    path: string,
    call: TransportCall = {},
  ): Promise<{ status: number; body: T }> {
    const response = await this.send(method, path, call);
    return { status: response.status, body: (await bodyOf(response)) as T };
  }

  /** The answer with its body unread. @throws SimError unless its status is 2xx or accepted */
  async send(method: Method, path: string, call: TransportCall = {}): Promise<HttpResponse> {
    const url = this.base + path;
    const response = await this.#fetch(method, url + queryText(call.query), call);
    const { status } = response;
    // Other servers answer with HTML pages, some of them for any path.
    const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
    if (isPage) throw foreign(`${method} ${url}`, status, url, "a page");
    if ((status >= 200 && status < 300) || call.accept?.includes(status)) return response;
    throw refusal(`${method} ${url}`, status, url, await bodyOf(response));
  }

  async #fetch(method: Method, url: string, { body, signal }: TransportCall): Promise<HttpResponse> {
    const { controlToken, maker, fetch: sendCall = send } = this.#options;
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (controlToken !== undefined) headers.Authorization = `Bearer ${controlToken}`;
    if (maker !== undefined && method !== "GET") headers["X-Sim-By"] = maker;
    const text = body === undefined ? undefined : JSON.stringify(body, withRegExps);
    try {
      return await sendCall(url, { method, headers, body: text, signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unreachable(`${method} ${url}`, url, error);
    }
  }
}

/** Under Jest, a test's RegExp is of another realm. */
export const isRegExp = (value: unknown): value is RegExp =>
  Object.prototype.toString.call(value) === "[object RegExp]";

/** The flags of a RegExp that the server knows. */
export const flagsOf = ({ flags }: RegExp): string => flags.replace(/[^ims]/g, "");

/** JSON would make a RegExp `{}`, which matches everything. */
function withRegExps(_key: string, value: unknown): unknown {
  if (!isRegExp(value)) return value;
  const flags = flagsOf(value);
  return { $regex: flags === "" ? value.source : `(?${flags})${value.source}` };
}

/** The control API of a server, by the address of its simulated API. */
export const controlApi = (url: string, options: TransportOptions = {}): Transport =>
  new Transport(url + CONTROL_PREFIX, options);

async function bodyOf(response: HttpResponse): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new SimError(`the response was cut off: ${reasonOf(cause)}`, null, "cut-off", [], { cause });
  });
  return response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text;
}

function queryText(query: Query = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return entries.length === 0
    ? ""
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** A refusal, with each problem on its own line: line breaks in texts are escaped. */
function refusal(call: string, status: number, url: string, body: unknown): SimError {
  const { code = "unknown", message, details = [] } = (body as ErrorBody | null)?.error ?? {};
  if (message === undefined) return foreign(call, status, url, String(body));
  const lines = details.map(({ path, message: problem }) =>
    printable(path === "" ? problem : `${path}: ${problem}`),
  );
  const reason = lines.length < 2 ? printable(message) : ["Invalid input:", ...lines].join("\n  ");
  return new SimError(`${call} → ${status} ${reason}`, status, code, details, { reason });
}

/** The error of a call that was answered by something other than a simulator. */
function foreign(call: string, status: number, url: string, answer: string): SimError {
  const reason = `the server at ${baseOf(url)} is not messaging-sim`;
  return new SimError(`${call} → ${status} ${answer}`, status, "unknown", [], { reason });
}

/** In the dashboard, calls go to its own origin. */
function baseOf(url: string): string {
  if (!URL.canParse(url)) return "this address";
  const { origin, pathname } = new URL(url);
  return origin + pathname.split(CONTROL_PREFIX)[0];
}

/** What helps, by the system's code. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/SELF_SIGNED|^UNABLE_TO_/, ": set NODE_EXTRA_CA_CERTS to the file of its CA"],
  [/^EPROTO$/, ": use http://, unless the server there speaks HTTPS"],
];

/** The error of a call without an answer; `fetch` hides the system error in `cause`. */
function unreachable(call: string, url: string, error: unknown): SimError {
  const { cause } = error as Error;
  const { code } = (cause instanceof Error ? cause : error) as { readonly code?: string };
  const [, remedy = ""] = REMEDIES.find(([codes]) => codes.test(code ?? "")) ?? [];
  const why = `${reasonOf(error)}${code === undefined ? "" : ` (${code})`}${remedy}`;
  const text = `${call}: no simulator answers there: ${why}`;
  const reason = `no simulator answers at ${baseOf(url)}: ${why}`;
  return new SimError(text, null, "unreachable", [], { cause: error, reason });
}
