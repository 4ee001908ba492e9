/** Reading the body of a request: bytes, encoding, JSON. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { BOUNDS } from "../bounds.js";
import { hasCode, reasonOf } from "../errors.js";
import type { JsonBounds } from "../json.js";
import { sizeFault } from "../json.js";
import { later } from "../realtime.js";

type ParsedJson = { readonly text: string; readonly value: unknown; readonly problem?: undefined } | Unparsed;

/** The rule that a body violates. */
interface Unparsed {
  readonly text: string;
  readonly problem: string;
  /** Why it is not valid JSON, and where, in the words of the parser. */
  readonly syntax?: string;
}

/**
 * Parses a JSON body. `problem` names the rule that it violates: valid UTF-8, valid JSON, within `bounds`.
 */
export function parseJson(body: Buffer, bounds?: JsonBounds): ParsedJson {
  if (!isUtf8(body)) return { problem: "must be valid UTF-8", text: body.toString("latin1") };
  const text = withoutMark(body.toString());
  const problem = sizeFault(text, bounds)?.problem;
  if (problem !== undefined) return { problem, text };
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    return { problem: "must be valid JSON", syntax: reasonOf(error), text };
  }
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

export type RequestBody = "none" | "too large" | ParsedJson;

export const hasBody = (request: IncomingMessage): boolean =>
  (request.headers["content-length"] ?? "0") !== "0" || request.headers["transfer-encoding"] !== undefined;

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);
/** How much longer than its content an encoded body may be. */
const ENVELOPE_BYTES = 64 * 1024;

/** The encoding of a body; undefined if it has none. Stacked encodings count as unknown. */
export const encodingOf = ({ "content-encoding": name }: IncomingHttpHeaders): string | undefined =>
  name?.trim().toLowerCase() || undefined;

export const isDecoded = (encoding: string): boolean => DECODERS.has(encoding);

/** How much of a body is read, in bytes, and the response that closes the connection of a longer one. */
interface BodyBounds {
  readonly limit: number;
  readonly response: ServerResponse;
}

/**
 * Reads, decodes and parses a request body; the limit applies to decoded bytes. `done` gets it: synchronously if the request
 * has no body, and never if the client disconnects first.
 */
export function readBody(
  request: IncomingMessage,
  bounds: BodyBounds,
  done: (body: RequestBody) => void,
): void {
  if (!hasBody(request)) return done("none");
  readDecoded(request, bounds, (read) => {
    if (!Buffer.isBuffer(read)) done(read);
    else done(read.length === 0 ? "none" : parseJson(read));
  });
}

/** Reads and decodes the bytes of a body; a body in an unsupported encoding is returned as it is. */
export function readDecoded(
  request: IncomingMessage,
  bounds: BodyBounds,
  done: (bytes: Buffer | "too large" | Unparsed) => void,
): void {
  const encoding = encodingOf(request.headers) ?? "";
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return readBytes(request, bounds, done);
  const { limit } = bounds;
  readBytes(request, { ...bounds, limit: limit + ENVELOPE_BYTES }, (bytes) => {
    if (bytes === "too large") return done(bytes);
    const decoded = decodedBy(decode, bytes, limit);
    done(decoded ?? { problem: `must be valid ${encoding}`, text: bytes.toString("latin1") });
  });
}

/** The decoded body; undefined if it cannot be decoded. Decoding is synchronous, so there is only one at a time. */
function decodedBy(
  decode: typeof gunzipSync,
  bytes: Buffer,
  limit: number,
): Buffer | "too large" | undefined {
  try {
    return decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    return hasCode(error, "ERR_BUFFER_TOO_LARGE") ? "too large" : undefined;
  }
}

/**
 * Reads all bytes of a body. One that is too large is drained first, so that a client which sends all of it can read the answer,
 * and then the connection is closed.
 */
function readBytes(
  request: IncomingMessage,
  { limit, response }: BodyBounds,
  done: (bytes: Buffer | "too large") => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const refuse = (): void => {
    isOver = true;
    chunks.length = 0;
    if (request.complete) done("too large");
    else discardRest(request, response, () => done("too large"));
  };
  request.on("data", (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    if (size > limit) refuse();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    if (!isOver) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
  request.on("error", () => {});
  if (Number(request.headers["content-length"] ?? 0) > limit) refuse();
}

/** Drains a request until the client has sent everything or the limits are reached; the answer then closes the connection. */
function discardRest(request: IncomingMessage, response: ServerResponse, then: () => void): void {
  const { discardedBytes, discardedMs } = BOUNDS;
  let left = discardedBytes.limit;
  const end = (): void => {
    timer.cancel();
    request.off("data", count).off("end", end);
    response.shouldKeepAlive = false;
    then();
  };
  const count = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const timer = later(discardedMs.limit, end, { background: true });
  request.once("close", timer.cancel).on("data", count).once("end", end);
  if (Number(request.headers["content-length"] ?? 0) > 2 * discardedBytes.limit) end();
}
