/** Calls by `node:http` if available: `fetch` hangs while a test runner fakes timers, `node:http` does not. */
import type { ClientRequest, IncomingMessage } from "node:http";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A call as `fetch` takes it. */
export interface HttpRequest {
  readonly method: Method;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The part of an answer that a transport reads; a `Response` is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Null for an answer that cannot be streamed. */
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

const moduleOf = <M>(name: string): M | undefined =>
  typeof process === "undefined" ? undefined : (process.getBuiltinModule?.(name) as M | undefined);

/** The retry uses another connection, which may lead to another process. */
const MISDIRECTED = 421;

/** Sends a call as `fetch` does. @throws the system error if there is no answer; the signal's reason if it is aborted */
export async function send(url: string, call: HttpRequest): Promise<HttpResponse> {
  const http = moduleOf<typeof import("node:http")>(url.startsWith("https:") ? "node:https" : "node:http");
  if (http === undefined) return fetch(url, call);
  const answer = await answerTo(http, url, call);
  if (answer.statusCode !== MISDIRECTED) return responseOf(answer);
  answer.resume();
  return responseOf(await answerTo(http, url, call));
}

function answerTo(
  http: typeof import("node:http"),
  url: string,
  { method, headers, body, signal }: HttpRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const request: ClientRequest = http.request(url, {
      method,
      headers: { ...headers, ...length },
      ...(signal && { signal }),
    });
    request.once("response", resolve);
    request.once("error", (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection at the moment when the call reused it.
      if (request.reusedSocket && error.code === "ECONNRESET" && signal?.aborted !== true)
        answerTo(http, url, { method, headers, body, signal }).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

function responseOf(answer: IncomingMessage): HttpResponse {
  let stream: ReadableStream<Uint8Array> | undefined;
  return {
    status: answer.statusCode ?? 0,
    headers: { get: (name) => [answer.headers[name.toLowerCase()] ?? null].flat().join(", ") || null },
    get body() {
      const { Readable } = moduleOf<typeof import("node:stream")>(
        "node:stream",
      ) as typeof import("node:stream");
      stream ??= Readable.toWeb(answer) as ReadableStream<Uint8Array>;
      return stream;
    },
    text: async () => {
      answer.setEncoding("utf8");
      let text = "";
      for await (const part of answer) text += part;
      return text;
    },
  };
}
