/** Writes responses, compressed for browsers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { atTurnEnd } from "../realtime.js";

/** The body sent when the simulator fails to produce an answer. */
export const FAILURE = { error: "the simulator failed: this is a bug in the simulator" };

export const JSON_TYPE = "application/json; charset=utf-8";

/** Checks, right before a response is sent, whether it is still true; undefined if no check is needed. */
export type Confirm = () => Promise<void> | undefined;

/** Statuses without a body and without a content length. */
export const BODILESS = new Set([204, 304]);
/** Its body is empty, which it says. */
const RESET_CONTENT = 205;

/**
 * Writes a whole response in one go, unless the client is gone; without a text, only its head. For HEAD, node omits the body
 * and keeps its length. Responses of one turn are written together at its end, because each separate write may wake the client,
 * which costs more than the call (decision 0014). If `confirm` rejects then, the connection is closed instead, because the
 * response is no longer true.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string | undefined,
  headers: readonly string[] = [],
  confirm?: Confirm,
): void {
  if (response.headersSent || response.destroyed) return;
  const isEmpty = text === undefined || BODILESS.has(status) || status === RESET_CONTENT;
  const content = isEmpty ? "" : (compressedText(response, text) ?? text);
  const head = [...headers];
  if (!isEmpty) head.push("Content-Type", contentType);
  if (!BODILESS.has(status)) head.push("Content-Length", String(Buffer.byteLength(content)));
  if (typeof content !== "string") head.push(...GZIP_HEADERS);
  response.writeHead(status, head);
  const end = () => void response.end(content);
  atTurnEnd(() => {
    const confirmed = confirm?.();
    if (confirmed === undefined) end();
    else confirmed.then(end, () => response.destroy());
  });
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: readonly string[],
  confirm?: Confirm,
): void => sendText(response, status, JSON_TYPE, JSON.stringify(body) ?? "null", headers, confirm);

/** Tells a proxy to close its client's connection. Without an answer, the proxy would consider this process dead. */
const NO_ANSWER = "HTTP/1.1 410 Gone\r\nX-Sim-Drop: yes\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Closes the connection of a call instead of answering, once earlier responses have been sent. */
export const drop = ({ socket, headers }: IncomingMessage): void =>
  atTurnEnd(() => (headers["x-sim-drop"] === "tell" ? socket.end(NO_ANSWER) : socket.destroy()));

/** Shorter bodies are sent uncompressed: compressing them saves no packet. */
const MIN_CHARACTERS = 1_024;
/** Longer bodies are not compressed synchronously, since that would block everybody. */
const MAX_CHARACTERS = 256 * 1_024;

const GZIP_HEADERS = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

/** Whether a response goes to a browser that accepts compression: local programs would only wait for it. */
function takesGzip({ req: { headers } }: ServerResponse): boolean {
  return headers["sec-fetch-site"] !== undefined && /\bgzip\b/.test(headers["accept-encoding"] ?? "");
}

function compressedText(response: ServerResponse, text: string): Buffer | undefined {
  const isWorthIt = text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS;
  return isWorthIt && takesGzip(response) ? gzipSync(text) : undefined;
}

/** Writes the head of a streamed response, and returns the stream for its body. */
export function beginBody(response: ServerResponse, status: number, contentType: string): Writable {
  const head = ["Content-Type", contentType];
  if (!takesGzip(response)) {
    response.writeHead(status, head);
    return response;
  }
  response.writeHead(status, [...head, ...GZIP_HEADERS]);
  const gzip = createGzip();
  response.once("close", () => gzip.destroy());
  gzip.pipe(response);
  return gzip;
}
