import type { ServerResponse } from "node:http";
import type { JsonLayout } from "./json-stream.js";
import { streamJson } from "./json-stream.js";
import type { Confirm } from "./send.js";
import { sendEmpty, sendJson, sendText } from "./send.js";

/**
 * What a handler answers, in one of five kinds: a body that is sent as JSON, at once or, where it may be large, in chunks;
 * text of a type of its own; nothing but a status; or a response that the handler writes itself, now or over time.
 */
export type HttpAnswer = JsonAnswer | StreamedAnswer | TextAnswer | EmptyAnswer | WrittenAnswer;

interface Common {
  /** Left out: the status of the endpoint's success. */
  readonly status?: number;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}
export interface JsonAnswer extends Common {
  readonly body: unknown;
}
interface StreamedAnswer extends Pick<Common, "status"> {
  /** At its top and in the fields of its outer objects, any iterable is a list. It must not change while it is sent. */
  readonly streamed: unknown;
  readonly layout?: JsonLayout;
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

/**
 * Sends an answer, unless the handler writes it itself. `success` is the status of an answer that names none.
 * Where `confirm` rejects at the end of the turn, the connection is closed instead.
 *
 * @returns a promise where the answer is written over time
 */
export function sendAnswer(
  response: ServerResponse,
  answer: HttpAnswer,
  success: number,
  confirm?: Confirm,
): Promise<void> | undefined {
  if ("streamed" in answer)
    return streamJson(response, answer.status ?? success, answer.streamed, answer.layout);
  if ("write" in answer) {
    answer.write(response);
    // What is written over time has no end of its own.
    if (response.req.method === "HEAD") response.end();
  } else if ("empty" in answer) sendEmpty(response, answer.status ?? success, answer.headers, confirm);
  else if ("text" in answer)
    sendText(response, answer.status ?? success, answer.contentType, answer.text, answer.headers, confirm);
  else sendJson(response, answer.status ?? success, answer.body, answer.headers, confirm);
  return undefined;
}
