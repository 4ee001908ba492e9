import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { createGzip, gzipSync } from "node:zlib";

/** A body of fewer characters is sent as it is: compressing it saves no packet. */
const MIN_CHARACTERS = 1_024;
/** One of more is not compressed at once, which would hold up everybody. */
const MAX_CHARACTERS = 256 * 1_024;

export const GZIP_HEADERS = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

/** Whether an answer goes to a browser that takes it compressed: programs beside the simulator only wait for that. */
function takesGzip({ req: { headers } }: ServerResponse): boolean {
  return headers["sec-fetch-site"] !== undefined && /\bgzip\b/.test(headers["accept-encoding"] ?? "");
}

/** A whole body, compressed; undefined where it is sent as it is. */
export function compressedText(response: ServerResponse, text: string): Buffer | undefined {
  const isWorthIt = text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS;
  return isWorthIt && takesGzip(response) ? gzipSync(text) : undefined;
}

/** Writes the head of an answer whose body comes in pieces; returns what they are written to. */
export function beginBody(response: ServerResponse, status: number, contentType: string): Writable {
  const head = ["Content-Type", contentType];
  if (!takesGzip(response)) {
    response.writeHead(status, head);
    return response;
  }
  response.writeHead(status, [...head, ...GZIP_HEADERS]);
  const gzip = createGzip();
  response.once("close", () => gzip.destroy());
  gzip.pipe(response);
  return gzip;
}
