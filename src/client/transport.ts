import type { ErrorDetail } from "./errors.js";
import { SimError } from "./errors.js";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface TransportCall {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Statuses beside 2xx whose answer is given back instead of thrown. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

export interface TransportAnswer<T> {
  readonly status: number;
  readonly body: T;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: readonly ErrorDetail[];
  };
}

/** Calls to the control API below one address, with the control token where there is one. */
export class Transport {
  constructor(
    /** Such as `http://127.0.0.1:4020/__sim`. */
    readonly base: string,
    readonly controlToken: string | undefined,
  ) {}

  /** The body of a successful answer. @throws SimError */
  async call<T>(method: Method, path: string, call: TransportCall = {}): Promise<T> {
    return (await this.answer<T>(method, path, call)).body;
  }

  /** The answer. @throws SimError unless its status is 2xx or accepted */
  async answer<T>(method: Method, path: string, call: TransportCall = {}): Promise<TransportAnswer<T>> {
    const response = await this.send(method, path, call);
    const text = await response.text();
    const body: unknown = isJson(response) ? JSON.parse(text) : text;
    if (response.ok || call.accept?.includes(response.status))
      return { status: response.status, body: body as T };
    throw refusal(`${method} ${this.base}${path}`, response.status, body);
  }

  /** The raw response. @throws SimError when there is none */
  async send(method: Method, path: string, { query, body, signal }: TransportCall = {}): Promise<Response> {
    const url = `${this.base}${path}${queryText(query)}`;
    try {
      return await fetch(url, {
        method,
        headers: {
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(this.controlToken === undefined ? {} : { Authorization: `Bearer ${this.controlToken}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      const { cause } = error as Error;
      const why = cause instanceof Error ? cause.message : (error as Error).message;
      throw new SimError(`${method} ${url}: no simulator answers there: ${why}`, null, "unreachable", [], {
        cause: error,
      });
    }
  }
}

const isJson = (response: Response): boolean =>
  response.headers.get("content-type")?.includes("json") === true;

export function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A refusal with every problem on a line of its own. */
export function refusal(call: string, status: number, body: unknown): SimError {
  const { code = "unknown", message, details = [] } = (body as ErrorBody | null)?.error ?? {};
  const lines = details.length < 2 ? [] : details.map(({ path, message: problem }) => `  ${path} ${problem}`);
  const text = details.length < 2 ? (message ?? String(body)) : "the input is unusable:";
  return new SimError([`${call} → ${status} ${text}`, ...lines].join("\n"), status, code, details);
}

/** One segment of a path. */
export const segment = (text: string | number): string => encodeURIComponent(String(text));
