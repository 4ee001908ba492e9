import type { IncomingMessage, ServerResponse } from "node:http";

/** Whether a request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  (request.headers["content-length"] ?? "0") !== "0" || request.headers["transfer-encoding"] !== undefined;

/**
 * Reads a whole request body. `done` gets the bytes, or undefined as soon as there are more than `limit`;
 * what comes after that is read and dropped. It is not called when the client goes away first.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer | undefined) => void,
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
    if (size <= limit && !over) done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
  request.on("error", () => {});
  if (over) done(undefined);
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** Writes a whole answer in one go. `headers` is a flat list of names and values. */
export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, [
    ...headers,
    "Content-Type",
    type,
    "Content-Length",
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
}

/** Writes a JSON answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: readonly string[],
): void {
  sendText(response, status, JSON_TYPE, JSON.stringify(body) ?? "null", headers);
}

/** The part of a target before its query, and the query without its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
