import { isUtf8 } from "node:buffer";

import { depthFault, MAX_DEPTH } from "../json-depth.js";

export type ParsedJson =
  | { readonly text: string; readonly value: unknown; readonly problem?: undefined }
  | { readonly text: string; readonly problem: string };

/**
 * Parses a JSON body. `problem` says which rule the body breaks: valid UTF-8, valid JSON, at most `MAX_DEPTH` levels, unless
 * `anyDepth` leaves these to whoever walks the value.
 */
export function parseJson(body: Buffer, { anyDepth = false } = {}): ParsedJson {
  if (!isUtf8(body)) return { problem: "must be valid UTF-8", text: body.toString("latin1") };
  const text = withoutMark(body.toString());
  if (!anyDepth && text.length > MAX_DEPTH && depthFault(text) !== undefined)
    return { problem: `must not be nested deeper than ${MAX_DEPTH} levels`, text };
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { problem: "must be valid JSON", text };
  }
}

const [OPEN_ARRAY, OPEN_OBJECT] = [0x5b, 0x7b] as const;
/** Brackets become objects and lists, the rest texts, numbers and fields. */
const BRACKET_COST = 56;
const BYTE_COST = 3;

/** What the value of a JSON body will cost about, in bytes. */
export function costOfJson(body: Buffer): number {
  let cost = BYTE_COST * body.length;
  // An iterator takes ten times as long.
  for (let at = 0; at < body.length; at += 1)
    if (body[at] === OPEN_ARRAY || body[at] === OPEN_OBJECT) cost += BRACKET_COST;
  return cost;
}

/** The text without its byte order mark. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
