/** What a handler returns, and how it is sent: at once, compressed for browsers. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { gzip } from "node:zlib";
import { BOUNDS } from "../bounds.js";
import { atTurnEnd } from "../realtime.js";

const { answerUnreadMs } = BOUNDS;

/** The body sent when the simulator fails to produce an answer. */
export const FAILURE = { error: "the simulator failed: this is a bug in the simulator" };

export const JSON_TYPE = "application/json; charset=utf-8";

/** Statuses without a body and without a content length. */
export const BODILESS = new Set([204, 304]);
/** Its body is empty, which it says. */
const RESET_CONTENT = 205;

/**
 * Sends a whole response, unless the client is gone; without a text, only its head. For HEAD, node omits the body and keeps its
 * length.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string | undefined,
  headers: readonly string[] = [],
): void {
  if (text === undefined || BODILESS.has(status) || status === RESET_CONTENT)
    return write(response, status, headers, "");
  const own = headers.concat(["Content-Type", contentType]);
  if (text.length < MIN_COMPRESSED || !takesGzip(response)) return write(response, status, own, text);
  // In another thread, because a long text would hold up everybody.
  gzip(text, (_error, bytes) => write(response, status, own.concat(GZIP_HEADERS), bytes));
}

/**
 * Writes a response in one go. Responses of one turn are written together at its end, because each separate write may wake the
 * client, which costs more than the call (decision 0014).
 */
function write(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  content: string | Buffer,
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.byteLength(content);
  const length = BODILESS.has(status) ? [] : ["Content-Length", String(bytes)];
  response.writeHead(status, headers.concat(length));
  // What a client does not read stays in memory.
  if (content.length > LARGE) response.setTimeout(answerUnreadMs.limit, () => response.destroy());
  // Node writes the head, which is Latin-1, in the encoding of a text: only an ASCII text has the same bytes in it.
  const isAscii = bytes === content.length;
  atTurnEnd(() => void response.end(isAscii ? content : Buffer.from(content), "latin1"));
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: readonly string[],
): void => sendText(response, status, JSON_TYPE, JSON.stringify(body) ?? "null", headers);

/** Tells a proxy to close its client's connection. Without an answer, the proxy would consider this process dead. */
const NO_ANSWER = "HTTP/1.1 410 Gone\r\nX-Sim-Drop: yes\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Closes the connection of a call instead of answering, once earlier responses have been sent. */
export const drop = ({ socket, headers }: IncomingMessage): void =>
  atTurnEnd(() => (headers["x-sim-drop"] === "tell" ? socket.end(NO_ANSWER) : socket.destroy()));

/** What the system's buffers may take for a client that does not read. */
const LARGE = 64 * 1_024;

/** Shorter bodies are sent uncompressed: compressing them saves no packet. */
const MIN_COMPRESSED = 1_024;

const GZIP_HEADERS = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

/** Whether a response goes to a browser that accepts compression: local programs would only wait for it. */
function takesGzip({ req: { headers } }: ServerResponse): boolean {
  return headers["sec-fetch-site"] !== undefined && /\bgzip\b/.test(headers["accept-encoding"] ?? "");
}

interface Common {
  /** Default: the success status of the endpoint. */
  readonly status?: number;
  /** Extra headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}
export interface JsonAnswer extends Common {
  readonly body: unknown;
}

/** What a handler returns: a JSON body, text of another type, a status only, or a response that the handler writes itself. */
export type HttpAnswer =
  | JsonAnswer
  | (Common & { readonly text: string; readonly contentType: string })
  | (Common & { readonly empty: true })
  | { readonly write: (response: ServerResponse) => void };

/** Sends an answer, unless the handler writes it itself. `success` is the default status. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer, success: number): void {
  if ("write" in answer) {
    answer.write(response);
    // A stream ends on its own.
    if (response.req.method === "HEAD") response.end();
    return;
  }
  const { status = success, headers } = answer;
  if ("body" in answer) sendJson(response, status, answer.body, headers);
  else if ("text" in answer) sendText(response, status, answer.contentType, answer.text, headers);
  else sendText(response, status, JSON_TYPE, undefined, headers);
}
