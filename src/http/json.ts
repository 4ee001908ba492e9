import { isUtf8 } from "node:buffer";
import { chunked } from "../kernel/chunked.js";
import { depthFault, MAX_DEPTH } from "../kernel/json-depth.js";
import type { CostCheck } from "./json-steps.js";
import { parseInSteps } from "./json-steps.js";

export type ParsedJson =
  | { readonly text: string; readonly value: unknown; readonly problem?: undefined }
  | { readonly text: string; readonly problem: string };

/** Parses a JSON body. `problem` says which rule the body breaks: valid UTF-8, valid JSON, at most `MAX_DEPTH` levels. */
export function parseJson(body: Buffer): ParsedJson {
  if (!isUtf8(body)) return { problem: "must be valid UTF-8", text: body.toString("latin1") };
  const text = withoutMark(body.toString());
  if (text.length > MAX_DEPTH && depthFault(text) !== undefined)
    return { problem: `must not be nested deeper than ${MAX_DEPTH} levels`, text };
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { problem: "must be valid JSON", text };
  }
}

/** From this size on a body is parsed in chunks. */
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
  return chunked(parseInSteps(body, check));
}

/** The text without its byte order mark. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
