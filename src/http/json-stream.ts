import type { ServerResponse } from "node:http";
import { isObject } from "../kernel/json.js";
import { Slices } from "../kernel/slices.js";
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
 * Sends a JSON body that may be large in slices, as fast as the client takes it. At the top of `value`, and in the fields of
 * the outer objects there, any iterable is a list.
 */
export async function streamJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  { levels = LEVELS, gap = "" }: JsonLayout = {},
): Promise<void> {
  const slices = new Slices();
  let text = "";
  for (const piece of jsonPieces(value, levels, gap)) {
    text += piece;
    if (text.length >= CHUNK_CHARACTERS) {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(status, ["Content-Type", JSON_TYPE]);
      if (!response.write(text)) await drained(response);
      text = "";
    }
    const pause = slices.next();
    if (pause !== undefined) await pause;
  }
  if (response.headersSent) response.end(text);
  else sendText(response, status, JSON_TYPE, text);
}

/** Resolves when the client has taken what was written, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    if (response.destroyed) resolve();
    else response.on("drain", done).on("close", done);
  });

/** A document's lists stand in its fields, or in those of one of its fields. */
const LEVELS = 2;

/** The text of a JSON value in pieces. In the objects of the first levels any iterable is a list; `gap` stands between parts. */
export function* jsonPieces(value: unknown, levels = LEVELS, gap = ""): Generator<string> {
  if (isIterable(value)) return yield* listPieces(value, gap);
  if (!isObject(value) || levels === 0) return yield JSON.stringify(value) ?? "null";
  let separator = `{${gap}`;
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonPieces(part, levels - 1, gap);
    separator = `,${gap}`;
  }
  yield separator.startsWith("{") ? "{}" : `${gap}}`;
}

function* listPieces(items: Iterable<unknown>, gap: string): Generator<string> {
  let separator = `[${gap}`;
  for (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = `,${gap}`;
  }
  yield separator.startsWith("[") ? "[]" : `${gap}]`;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;
