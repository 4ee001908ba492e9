/** The path of the control API; the page itself is at `…/__sim/ui/`. */
export const CONTROL = new URL("..", new URL(import.meta.env.BASE_URL, location.href)).pathname.replace(
  /\/$/,
  "",
);

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A call as `fetch` takes it. */
export interface HttpRequest {
  readonly method: Method;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface TransportOptions {
  /** Sends the calls. It rejects when there is no answer. */
  readonly fetch: (url: string, request: HttpRequest) => Promise<Response>;
}

interface TransportCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A control call that the server refused (contract section 5), or that never reached it. */
export class SimError extends Error {
  constructor(
    message: string,
    /** The HTTP status; null when there was no answer. */
    readonly status: number | null,
    /** Such as `not-found`; `unreachable` when there was no answer. */
    readonly code: string,
  ) {
    super(message);
  }
}

/** What went wrong, as the page says it. */
export function errorMessage(error: unknown): string {
  if (error instanceof SimError && error.code === "unreachable")
    return "The simulator does not answer. Nothing was changed.";
  return error instanceof Error ? error.message : String(error);
}

/** Calls to the control API below one path. */
export class Transport {
  constructor(
    /** Such as `/__sim`. */
    readonly base: string,
    readonly options: TransportOptions,
  ) {}

  /** The routes of one sandbox of the server. */
  ofSandbox(id: string): Transport {
    return id === "default"
      ? this
      : new Transport(`${this.base}/sandboxes/${encodeURIComponent(id)}`, this.options);
  }

  /** The body of a successful answer. @throws SimError */
  async call<T>(method: Method, path: string, call: TransportCall = {}): Promise<T> {
    return (await bodyOf(await this.send(method, path, call))) as T;
  }

  /** The answer with its body still to be read. @throws SimError unless its status is 2xx */
  async send(method: Method, path: string, { query, body, signal }: TransportCall = {}): Promise<Response> {
    const url = `${this.base}${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
    const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = { method, headers, body: text, signal };
    const response = await this.options.fetch(url, request).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new SimError(String(error), null, "unreachable");
    });
    if (response.ok) return response;
    throw refusal(response.status, await bodyOf(response));
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text;
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string };
}

function refusal(status: number, body: unknown): SimError {
  const { code = "unknown", message } = (body as ErrorBody | null)?.error ?? {};
  return new SimError(
    message ?? `The server answered ${status}: ${String(body).slice(0, 200)}`,
    status,
    code,
  );
}
