import type { IncomingMessage, ServerResponse } from "node:http";
import type { ParsedJson } from "./json.js";
import { parseJson } from "./json.js";
import type { BodyPool } from "./load.js";

/** The body of a request: none, larger than it may be, or parsed. */
export type RequestBody = "none" | "too large" | ParsedJson;

/** Whether a request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  (request.headers["content-length"] ?? "0") !== "0" || request.headers["transfer-encoding"] !== undefined;

/** How much of a body is read, and in what it is counted while its call is under way. */
export interface BodyBounds {
  /** In bytes. */
  readonly limit: number;
  readonly pool: BodyPool;
  readonly response: ServerResponse;
}

/** Why a body was not read: it is larger than it may be, or too many bodies are under way. */
type Unread = "too large" | "too much";

/**
 * Reads and parses a request body. `done` gets it, at once where the request announces none, and never where the client
 * goes away first.
 */
export function readBody(
  request: IncomingMessage,
  bounds: BodyBounds,
  done: (body: RequestBody | "too much") => void,
): void {
  if (!hasBody(request)) return done("none");
  readBytes(request, bounds, (bytes) => {
    if (typeof bytes === "string") done(bytes);
    else if (bytes.length === 0) done("none");
    else done(parseJson(bytes));
  });
}

/** Reads all bytes of a body. `done` hears as soon as they are not to be had; what comes after that is read and dropped. */
export function readBytes(
  request: IncomingMessage,
  { limit, pool, response }: BodyBounds,
  done: (bytes: Buffer | Unread) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  let share: ReturnType<BodyPool["open"]> | undefined;
  const stop = (why: Unread): void => {
    isOver = true;
    chunks.length = 0;
    share?.grow(-share.bytes);
    done(why);
  };
  request.on("data", (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    if (size > limit) return stop("too large");
    if (pool.isFullFor(size, share?.bytes)) return stop("too much");
    chunks.push(chunk);
    if (size < pool.from) return;
    share ??= pool.open(response);
    share.grow(size - share.bytes);
  });
  request.on("end", () => {
    if (!isOver) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
  request.on("error", () => {});
  if (Number(request.headers["content-length"] ?? 0) > limit) stop("too large");
}
