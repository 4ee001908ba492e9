import type { Access } from "./access";

/** Where the control API is: the page itself lies at `…/__sim/ui/`. */
export const CONTROL = new URL("..", new URL(import.meta.env.BASE_URL, location.href)).pathname.replace(
  /\/$/,
  "",
);

/** A refusal of the control API, in its own words (contract section 5). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly { readonly path: string; readonly message: string }[] = [],
  ) {
    super(message);
  }
}

/** The server cannot be reached. */
export class Unreachable extends Error {}

/** What went wrong, in words for the person at the page. */
export const wordsOf = (error: unknown): string =>
  error instanceof Unreachable
    ? "The simulator does not answer. Nothing was changed."
    : error instanceof Error
      ? error.message
      : String(error);

/** Calls of the control API for one sandbox. */
export class Api {
  readonly base: string;

  constructor(
    readonly access: Access,
    readonly sandbox: string,
  ) {
    this.base = sandbox === "default" ? CONTROL : `${CONTROL}/sandboxes/${encodeURIComponent(sandbox)}`;
  }

  /** A call of a route of the sandbox; `server` routes start with `/` below the control API itself. */
  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.call<T>("GET", path, undefined, signal);
  }

  post<T = unknown>(path: string, body?: unknown): Promise<T> {
    return this.call<T>("POST", path, body);
  }

  async call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.open(method, `${this.base}${path}`, body, signal);
    const text = await response.text();
    return (response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text) as T;
  }

  /** A route that exists once for the whole server, such as `/sandboxes`. */
  async server<T>(path: string): Promise<T> {
    return (await this.open("GET", `${CONTROL}${path}`)).json() as Promise<T>;
  }

  /** Sends a call and gives its response back, once it has been let in and not refused. */
  async open(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    for (;;) {
      const { token } = this.access;
      const response = await fetch(url, {
        method,
        headers: {
          ...this.access.headers(),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        cache: "no-store",
      }).catch((error: unknown) => {
        if (signal?.aborted) throw error;
        throw new Unreachable(String(error));
      });
      if (response.ok) return response;
      if (response.status !== 401) throw await refusalOf(response);
      await this.access.ask(token);
    }
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return new ApiError(response.status, error.code, error.message, error.details);
  } catch {
    return new ApiError(
      response.status,
      "unknown",
      `The server answered ${response.status}: ${text.slice(0, 200)}`,
    );
  }
}
