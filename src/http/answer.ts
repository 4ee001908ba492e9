import type { ServerResponse } from "node:http";

/**
 * What a handler answers, in one of four kinds: a body that is sent as JSON, text of a type of its own, nothing but a
 * status, or a response that the handler writes itself, now or over time.
 */
export type HttpAnswer = JsonAnswer | TextAnswer | EmptyAnswer | WrittenAnswer;

interface Common {
  /** Left out: the status of the endpoint's success. */
  readonly status?: number;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}
export interface JsonAnswer extends Common {
  readonly body: unknown;
}
interface TextAnswer extends Common {
  readonly text: string;
  /** With its charset. */
  readonly contentType: string;
}
interface EmptyAnswer extends Common {
  readonly empty: true;
}
interface WrittenAnswer {
  readonly write: (response: ServerResponse) => void;
}

/** The body of an answer in place of one that the simulator failed to make. */
export const FAILURE = { error: "The simulator failed: this is a bug in it" };

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends an answer, whole and at once unless the handler writes it. `success` is the status of an answer that names none. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer, success: number): void {
  if ("write" in answer) return answer.write(response);
  const { status = success, headers } = answer;
  if ("empty" in answer) sendEmpty(response, status, headers);
  else if ("text" in answer) sendText(response, status, answer.contentType, answer.text, headers);
  else sendJson(response, status, answer.body, headers);
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
