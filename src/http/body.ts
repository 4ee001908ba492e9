import type { IncomingMessage } from "node:http";
import type { ParsedJson } from "./json.js";
import { parseJson } from "./json.js";

/** The body of a request: none, larger than it may be, or parsed. */
export type RequestBody = "none" | "too large" | ParsedJson;

/** Whether a request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  (request.headers["content-length"] ?? "0") !== "0" || request.headers["transfer-encoding"] !== undefined;

/**
 * Reads and parses a request body of at most `limit` bytes. `done` gets it, at once where the request announces
 * none, and never where the client goes away first.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: RequestBody) => void): void {
  if (!hasBody(request)) return done("none");
  readBytes(request, limit, (bytes) => {
    if (bytes === undefined) done("too large");
    else if (bytes.length === 0) done("none");
    else done(parseJson(bytes));
  });
}

/**
 * Reads all bytes of a body. `done` gets undefined as soon as there are more than `limit`; what comes after that is read
 * and dropped.
 */
export function readBytes(
  request: IncomingMessage,
  limit: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let over = Number(request.headers["content-length"] ?? 0) > limit;
  request.on("data", (chunk: Buffer) => {
    if (over) return;
    size += chunk.length;
    if (size <= limit) {
      chunks.push(chunk);
      return;
    }
    over = true;
    chunks.length = 0;
    done(undefined);
  });
  request.on("end", () => {
    if (!over) done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
  request.on("error", () => {});
  if (over) done(undefined);
}
