import type { Access } from "./access";

/** The path of the control API; the page itself is at `…/__sim/ui/`. */
export const CONTROL = new URL("..", new URL(import.meta.env.BASE_URL, location.href)).pathname.replace(
  /\/$/,
  "",
);

interface TransportCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

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

/** Calls to the control API below one path, with the control token where the server asks for one. */
export class Transport {
  constructor(
    /** Such as `/__sim/sandboxes/left`. */
    readonly base: string,
    readonly access: Access,
  ) {}

  /** The body of a successful answer. @throws SimError */
  async call<T>(method: Method, path: string, call: TransportCall = {}): Promise<T> {
    const response = await this.send(method, path, call);
    if (!response.ok) throw await refusal(response);
    return (isJson(response) ? await response.json() : await response.text()) as T;
  }

  /** The raw response, once a token has let the call in. @throws SimError when there is none */
  async send(method: Method, path: string, { query, body, signal }: TransportCall = {}): Promise<Response> {
    const url = `${this.base}${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
    for (;;) {
      const { token } = this.access;
      const response = await fetch(url, {
        method,
        headers: {
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        cache: "no-store",
      }).catch((error: unknown) => {
        if (signal?.aborted) throw error;
        throw new SimError(String(error), null, "unreachable");
      });
      if (response.status !== 401) return response;
      await this.access.ask(token);
    }
  }
}

/** The refusal as an error with the server's message. */
export async function refusal(response: Response): Promise<SimError> {
  const { status } = response;
  const text = await response.text();
  const { error } = isJson(response) ? JSON.parse(text) : {};
  const message = error?.message ?? `The server answered ${status}: ${text.slice(0, 200)}`;
  return new SimError(message, status, error?.code ?? "unknown");
}

const isJson = (response: Response): boolean =>
  response.headers.get("content-type")?.includes("json") === true;
