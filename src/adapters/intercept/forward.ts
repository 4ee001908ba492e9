import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { isHangUp, type Way } from "./way.js";

type Send = (url: URL, options: RequestOptions) => ClientRequest;

/** Statuses that never have a body. */
const EMPTY = new Set([204, 205, 304]);

/** Forwards requests to the simulator with the same path, headers and body; streams the answer back unchanged. */
export const forwarder =
  (way: Way, send: Send) =>
  async (request: Request): Promise<Response> => {
    const address = new URL(request.url);
    const { host: _, ...headers } = Object.fromEntries(request.headers);
    // A GET has no body, even if its headers announce one.
    if (request.body === null) delete headers["content-length"];
    if (request.body === null) delete headers["transfer-encoding"];
    const call = send(new URL(`${address.pathname}${address.search}`, way.simulator), {
      method: request.method,
      headers,
      signal: request.signal,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      call.on("response", resolve).on("error", reject);
    });
    if (request.body === null) call.end();
    // A simulator that answers early reads no more: only its answer counts.
    else pipeline(Readable.fromWeb(request.body as ReadableStream), call).catch(() => {});
    try {
      return answerOf(await answered);
    } catch (error) {
      throw request.signal.aborted || isHangUp(error) ? error : way.failure(address, error);
    }
  };

function answerOf(message: IncomingMessage): Response {
  const { statusCode = 0, statusMessage = "", rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  if (EMPTY.has(statusCode)) message.resume();
  const body = EMPTY.has(statusCode) ? null : (Readable.toWeb(message) as BodyInit);
  return new Response(body, { status: statusCode, statusText: statusMessage, headers });
}
