/** Calls by `node:http` if available: `fetch` hangs while a test runner fakes timers, `node:http` does not. */
import type { Agent, ClientRequest, IncomingMessage } from "node:http";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A call as `fetch` takes it. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The caller's own connections: a call that one of them loses is not repeated. */
interface OwnConnections {
  readonly agent: Agent;
  /** How long an answer's text may be. */
  readonly maxLength: number;
}

/** The part of an answer that a transport reads; a `Response` is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Iterable<[name: string, value: string]> & {
    /** @param name in lower case */
    get(name: string): string | null | undefined;
  };
  /** Null for an answer that cannot be streamed. */
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

const moduleOf = <M>(name: string): M | undefined =>
  typeof process === "undefined" ? undefined : (process.getBuiltinModule?.(name) as M | undefined);

/** The answer is too long, or never ends. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** The retry uses another connection, which may lead to another process. */
const MISDIRECTED = 421;

/** Sends a call as `fetch` does. @throws the system error if there is no answer; the signal's reason if it is aborted */
export async function send(url: string, call: HttpRequest, own?: OwnConnections): Promise<HttpResponse> {
  const http = moduleOf<typeof import("node:http")>(url.startsWith("https:") ? "node:https" : "node:http");
  if (http === undefined) return fetch(url, call);
  const answer = await answerTo(http, url, call, own?.agent);
  if (answer.statusCode !== MISDIRECTED) return responseOf(answer, own?.maxLength);
  answer.resume();
  return responseOf(await answerTo(http, url, call, own?.agent), own?.maxLength);
}

function answerTo(
  http: typeof import("node:http"),
  url: string,
  { method, headers, body, signal }: HttpRequest,
  agent?: Agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const request: ClientRequest = http.request(url, {
      method,
      headers: { ...headers, ...length },
      ...(signal && { signal }),
      ...(agent && { agent }),
    });
    // Deno would repeat a call by itself.
    if (agent !== undefined) request.once("socket", () => Object.assign(request, { reusedSocket: false }));
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

function responseOf(answer: IncomingMessage, maxLength = Number.POSITIVE_INFINITY): HttpResponse {
  let stream: ReadableStream<Uint8Array> | undefined;
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  return {
    status: answer.statusCode ?? 0,
    headers: new Map(headers as [string, string][]),
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
      for await (const part of answer) {
        text += part;
        if (text.length > maxLength)
          throw new UnreadableAnswer(`the response has more than ${maxLength} characters`);
      }
      return text;
    },
  };
}
