/** What a handler returns, and how it is sent: at once or in chunks, compressed for browsers. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";
import { BOUNDS } from "../bounds.js";
import { isObject } from "../json.js";
import { atTurnEnd, later, nextTurn } from "../realtime.js";

/** The body sent when the simulator fails to produce an answer. */
export const FAILURE = { error: "the simulator failed: this is a bug in the simulator" };

export const JSON_TYPE = "application/json; charset=utf-8";

const ASCII = /^[\0-\x7f]*$/;

/** Statuses without a body and without a content length. */
export const BODILESS = new Set([204, 304]);
/** Its body is empty, which it says. */
const RESET_CONTENT = 205;

/**
 * Writes a whole response in one go, unless the client is gone; without a text, only its head. For HEAD, node omits the body
 * and keeps its length. Responses of one turn are written together at its end, because each separate write may wake the client,
 * which costs more than the call (decision 0014).
 */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string | undefined,
  headers: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  const isEmpty = text === undefined || BODILESS.has(status) || status === RESET_CONTENT;
  const content = isEmpty ? "" : (compressedText(response, text) ?? text);
  const head = [...headers];
  if (!isEmpty) head.push("Content-Type", contentType);
  if (!BODILESS.has(status)) head.push("Content-Length", String(Buffer.byteLength(content)));
  if (typeof content !== "string") head.push(...GZIP_HEADERS);
  response.writeHead(status, head);
  // Node writes head and text in one encoding: only before bytes does a head keep its own, Latin-1.
  const isPlain = headers.every((text) => ASCII.test(text));
  atTurnEnd(() => void response.end(isPlain ? content : Buffer.from(content)));
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
function beginBody(response: ServerResponse, status: number, contentType: string): Writable {
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

const CHUNK_CHARACTERS = 64 * 1024;

/** The lists of a document are in its fields, or one level below. */
const LEVELS = 2;

/**
 * Streams a JSON body that may be large, as fast as the client reads it. At the top of `value`, and in the fields of its
 * outer objects, any iterable is a list.
 */
export async function streamJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  { unreadMs = BOUNDS.answerUnreadMs.limit as number }: { readonly unreadMs?: number } = {},
): Promise<void> {
  let body: Writable | undefined;
  let last = "";
  for await (const text of jsonChunks(value)) {
    if (last !== "") {
      if (response.destroyed) return;
      body ??= beginBody(response, status, JSON_TYPE);
      if (!body.write(last)) await drained(body, response, unreadMs);
    }
    last = text;
  }
  if (body !== undefined) body.end(last);
  else sendText(response, status, JSON_TYPE, last);
}

/** Resolves when the client has read what was written, or is gone; a client that reads too slowly is disconnected. */
const drained = (body: Writable, response: ServerResponse, unreadMs: number): Promise<void> =>
  new Promise((resolve) => {
    const late = later(unreadMs, () => response.destroy(), { background: true });
    const done = () => {
      late.cancel();
      body.off("drain", done);
      response.off("close", done);
      resolve();
    };
    if (response.destroyed) done();
    else {
      body.on("drain", done);
      response.on("close", done);
    }
  });

/** An item of a list that is streamed field by field: any iterable in a field is a list, which may be long. */
export class Parts {
  constructor(readonly fields: object) {}
}

/**
 * A JSON value as text, in chunks of about 64 kB; a chunk is longer only if a single item is. In the objects of the first two
 * levels, any iterable is a list. Yields to the event loop between chunks.
 */
async function* jsonChunks(value: unknown): AsyncGenerator<string, void, undefined> {
  let text = "";
  for (const piece of jsonPieces(value, LEVELS)) {
    text += piece;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
    await nextTurn();
  }
  yield text;
}

function* jsonPieces(value: unknown, levels: number): Generator<string> {
  if (isIterable(value)) return yield* listPieces(value);
  if (!isObject(value) || levels === 0) return yield JSON.stringify(value) ?? "null";
  let separator = "{";
  for (const [key, part] of Object.entries(value)) {
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonPieces(part, levels - 1);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = "[";
  for (const item of items) {
    if (item instanceof Parts) {
      yield separator;
      yield* jsonPieces(item.fields, 1);
    } else yield `${separator}${JSON.stringify(item)}`;
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

interface Common {
  /** Default: the success status of the endpoint. */
  readonly status?: number;
  /** Extra headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}
export interface JsonAnswer extends Common {
  readonly body: unknown;
}
interface StreamedAnswer extends Pick<Common, "status"> {
  /** At its top and in the fields of its outer objects, any iterable is a list. It must not change while it is being sent. */
  readonly streamed: unknown;
}

/**
 * What a handler returns, in one of five kinds: a JSON body; a JSON body that may be large, sent in chunks; text of another
 * type; a status only; or a response that the handler writes itself.
 */
export type HttpAnswer =
  | JsonAnswer
  | StreamedAnswer
  | (Common & { readonly text: string; readonly contentType: string })
  | (Common & { readonly empty: true })
  | { readonly write: (response: ServerResponse) => void };

/**
 * Sends an answer, unless the handler writes it itself. `success` is the default status.
 *
 * @returns a promise if the answer is written over time
 */
export function sendAnswer(
  response: ServerResponse,
  answer: HttpAnswer,
  success: number,
): Promise<void> | undefined {
  if ("write" in answer) {
    answer.write(response);
    // A stream ends on its own.
    if (response.req.method === "HEAD") response.end();
    return undefined;
  }
  const { status = success } = answer;
  if ("streamed" in answer) return streamJson(response, status, answer.streamed);
  const { headers } = answer;
  if ("body" in answer) sendJson(response, status, answer.body, headers);
  else if ("text" in answer) sendText(response, status, answer.contentType, answer.text, headers);
  else sendText(response, status, JSON_TYPE, undefined, headers);
  return undefined;
}
