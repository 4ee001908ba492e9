import type { ServerResponse } from "node:http";

/**
 * What a handler answers, in one of four kinds: a body that is sent as JSON, text of a type of its own, nothing but a
 * status, or a response that the handler writes itself, now or over time.
 */
export type Reply = JsonReply | TextReply | EmptyReply | WrittenReply;

interface Common {
  /** Left out: the status of the endpoint's success. */
  readonly status?: number;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}
export interface JsonReply extends Common {
  readonly body: unknown;
}
interface TextReply extends Common {
  readonly text: string;
  /** With its charset. */
  readonly contentType: string;
}
interface EmptyReply extends Common {
  readonly empty: true;
}
interface WrittenReply {
  readonly write: (response: ServerResponse) => void;
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a reply, whole and at once unless the handler writes it. `success` is the status of a reply that names none. */
export function sendReply(response: ServerResponse, reply: Reply, success: number): void {
  if ("write" in reply) return reply.write(response);
  const { status = success, headers } = reply;
  if ("empty" in reply) sendEmpty(response, status, headers);
  else if ("text" in reply) sendText(response, status, reply.contentType, reply.text, headers);
  else sendJson(response, status, reply.body, headers);
}

/** Writes a whole answer in one go, unless the client is gone. */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, [...headers, "Content-Type", contentType, "Content-Length", length]);
  response.end(text);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: readonly string[],
): void {
  sendText(response, status, JSON_TYPE, JSON.stringify(body) ?? "null", headers);
}

function sendEmpty(response: ServerResponse, status: number, headers: readonly string[] = []): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, [...headers, "Content-Length", "0"]).end();
}
