import { isUtf8 } from "node:buffer";
import { inSlices } from "../kernel/slices.js";
import type { CostCheck } from "./json-steps.js";
import { MAX_DEPTH, parseInSteps } from "./json-steps.js";

export type ParsedJson =
  | { readonly text: string; readonly value: unknown; readonly problem?: undefined }
  | { readonly text: string; readonly problem: string };

/** Parses a JSON body. `problem` says which rule the body breaks: valid UTF-8, valid JSON, at most `MAX_DEPTH` levels. */
export function parseJson(body: Buffer): ParsedJson {
  if (!isUtf8(body)) return { problem: "must be valid UTF-8", text: body.toString("latin1") };
  const text = withoutMark(body.toString());
  if (body.length > MAX_DEPTH && isTooDeep(body))
    return { problem: `must not be nested deeper than ${MAX_DEPTH} levels`, text };
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { problem: "must be valid JSON", text };
  }
}

/** From this size on a body is parsed in slices. */
const LARGE_BYTES = 1024 * 1024;

/**
 * The same for a body that may be very large: a value, or what is wrong with it, while others are served.
 *
 * @throws what `check` throws where the value would cost too much
 */
export async function parseLargeJson(
  body: Buffer,
  check: CostCheck,
): Promise<Pick<ParsedJson, "problem"> & { value?: unknown }> {
  if (body.length < LARGE_BYTES) return parseJson(body);
  if (!isUtf8(body)) return { problem: "must be valid UTF-8" };
  return inSlices(parseInSteps(body, check));
}

/** The text without its byte order mark. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) {
      quoted = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}
