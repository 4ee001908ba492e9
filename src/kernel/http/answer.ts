/** What a handler answers, and how it is sent: at once or in chunks. */
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { BOUNDS } from "../bounds.js";
import { Chunks } from "../chunked.js";
import { isObject } from "../json.js";
import { later } from "../realtime.js";
import type { Confirm } from "./send.js";
import { beginBody, JSON_TYPE, sendEmpty, sendJson, sendText } from "./send.js";

const CHUNK_CHARACTERS = 64 * 1024;

interface JsonLayout {
  /** How many levels of objects, from the outermost on, are taken apart; left out: two. */
  readonly levels?: number;
  /** What stands between the parts that are taken apart; left out: nothing. */
  readonly gap?: string;
}

/**
 * Sends a JSON body that may be large in chunks, as fast as the client takes it. At the top of `value`, and in the fields of
 * the outer objects there, any iterable is a list.
 */
export async function streamJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  {
    levels = LEVELS,
    gap = "",
    unreadMs = BOUNDS.answerUnreadMs.limit as number,
  }: JsonLayout & { readonly unreadMs?: number } = {},
): Promise<void> {
  let body: Writable | undefined;
  let last = "";
  for await (const text of jsonChunks(value, { levels, gap })) {
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

/** Resolves when the client has taken what was written, or is gone; a client that does not take it in time is sent away. */
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

/** A document's lists stand in its fields, or in those of one of its fields. */
const LEVELS = 2;

/** An item of a list that is sent field by field: any iterable in a field is a list, which may be long. */
export class Parts {
  constructor(readonly fields: object) {}
}

/**
 * The text of a JSON value in chunks of so many characters, and more only where an item has more. In the objects of the first
 * levels any iterable is a list; `gap` stands between parts. Others are served meanwhile.
 */
export async function* jsonChunks(
  value: unknown,
  { levels = LEVELS, gap = "" }: JsonLayout = {},
  characters = CHUNK_CHARACTERS,
): AsyncGenerator<string, void, undefined> {
  const chunks = new Chunks();
  let text = "";
  for (const piece of jsonPieces(value, levels, gap)) {
    text += piece;
    if (text.length >= characters) {
      yield text;
      text = "";
    }
    const pause = chunks.next();
    if (pause !== undefined) await pause;
  }
  yield text;
}

function* jsonPieces(value: unknown, levels: number, gap: string): Generator<string> {
  if (isIterable(value)) return yield* listPieces(value, gap);
  if (!isObject(value) || levels === 0) return yield JSON.stringify(value) ?? "null";
  let separator = `{${gap}`;
  for (const [key, part] of Object.entries(value)) {
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonPieces(part, levels - 1, gap);
    separator = `,${gap}`;
  }
  yield separator.startsWith("{") ? "{}" : `${gap}}`;
}

function* listPieces(items: Iterable<unknown>, gap: string): Generator<string> {
  let separator = `[${gap}`;
  for (const item of items) {
    if (item instanceof Parts) {
      yield separator;
      yield* jsonPieces(item.fields, 1, gap);
    } else yield `${separator}${JSON.stringify(item)}`;
    separator = `,${gap}`;
  }
  yield separator.startsWith("[") ? "[]" : `${gap}]`;
}

export const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

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
