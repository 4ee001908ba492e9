import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { BOUNDS } from "../bounds.js";
import { Chunks } from "../chunked.js";
import { isObject } from "../json.js";
import { later } from "../realtime.js";
import { beginBody } from "./compression.js";
import { JSON_TYPE, sendText } from "./send.js";

/** So many characters are written at once; a body of fewer is sent whole, with its length. */
const CHUNK_CHARACTERS = 64 * 1024;

/** How a text is laid out. */
export interface JsonLayout {
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
  const chunks = new Chunks();
  let text = "";
  let body: Writable | undefined;
  for (const piece of jsonPieces(value, levels, gap)) {
    text += piece;
    if (text.length >= CHUNK_CHARACTERS) {
      if (response.destroyed) return;
      body ??= beginBody(response, status, JSON_TYPE);
      if (!body.write(text)) await drained(body, response, unreadMs);
      text = "";
    }
    const pause = chunks.next();
    if (pause !== undefined) await pause;
  }
  if (body !== undefined) body.end(text);
  else sendText(response, status, JSON_TYPE, text);
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

/** The text of a JSON value in pieces. In the objects of the first levels any iterable is a list; `gap` stands between parts. */
export function* jsonPieces(value: unknown, levels = LEVELS, gap = ""): Generator<string> {
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

/** Whether a value is a list, made or to be made. */
export const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;
