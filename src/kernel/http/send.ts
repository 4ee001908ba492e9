/** Writing answers, compressed for browsers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { atTurnEnd } from "../realtime.js";

/** The body of an answer in place of one that the simulator failed to make. */
export const FAILURE = { error: "the simulator failed: this is a bug in the simulator" };

export const JSON_TYPE = "application/json; charset=utf-8";

/** Looks, right before an answer goes out, whether what it says is still true; undefined where no look is needed. */
export type Confirm = () => Promise<void> | undefined;

/** Statuses whose answers end with their headers, and tell no length either. */
const BODILESS = new Set([204, 304]);

/**
 * Writes a whole answer in one go, unless the client is gone. What HEAD asked for is left out by node, its length is not.
 * Answers to calls that came together go out together, at the end of the turn: each write of its own may have to wake
 * the client, which costs more than the call (decision 0014). Where `confirm` rejects then, the connection is closed instead:
 * what the answer says is not true any more.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: readonly string[] = [],
  confirm?: Confirm,
): void {
  if (BODILESS.has(status)) return sendEmpty(response, status, headers, confirm);
  if (response.headersSent || response.destroyed) return;
  const compressed = compressedText(response, text);
  const length = String(compressed?.length ?? Buffer.byteLength(text));
  const encoding = compressed === undefined ? [] : GZIP_HEADERS;
  response.writeHead(status, [
    ...headers,
    "Content-Type",
    contentType,
    "Content-Length",
    length,
    ...encoding,
  ]);
  endConfirmed(response, confirm, compressed ?? text);
}

function endConfirmed(response: ServerResponse, confirm?: Confirm, content: string | Buffer = ""): void {
  atTurnEnd(() => {
    const confirmed = confirm?.();
    const end = () => void response.end(content);
    if (confirmed === undefined) end();
    else confirmed.then(end, () => response.destroy());
  });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: readonly string[],
  confirm?: Confirm,
): void {
  sendText(response, status, JSON_TYPE, JSON.stringify(body) ?? "null", headers, confirm);
}

export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  confirm?: Confirm,
): void {
  if (response.headersSent || response.destroyed) return;
  const length = BODILESS.has(status) ? [] : ["Content-Length", "0"];
  response.writeHead(status, [...headers, ...length]);
  endConfirmed(response, confirm);
}

/** An answer that stands for none: a proxy that asks for it closes its client's connection, as it would take another one for a dead process. */
const NO_ANSWER = "HTTP/1.1 410 Gone\r\nX-Sim-Drop: yes\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Closes the connection of a call instead of answering, once the answers to those before it are out. */
export const drop = ({ socket, headers }: IncomingMessage): void =>
  atTurnEnd(() => (headers["x-sim-drop"] === "tell" ? socket.end(NO_ANSWER) : socket.destroy()));

/** A body of fewer characters is sent as it is: compressing it saves no packet. */
const MIN_CHARACTERS = 1_024;
/** One of more is not compressed at once, which would hold up everybody. */
const MAX_CHARACTERS = 256 * 1_024;

const GZIP_HEADERS = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

/** Whether an answer goes to a browser that takes it compressed: programs beside the simulator only wait for that. */
function takesGzip({ req: { headers } }: ServerResponse): boolean {
  return headers["sec-fetch-site"] !== undefined && /\bgzip\b/.test(headers["accept-encoding"] ?? "");
}

function compressedText(response: ServerResponse, text: string): Buffer | undefined {
  const isWorthIt = text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS;
  return isWorthIt && takesGzip(response) ? gzipSync(text) : undefined;
}

/** Writes the head of an answer whose body comes in pieces; returns what they are written to. */
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
