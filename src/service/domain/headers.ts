/** Which `extraHeaders` of a webhook can be sent (specification: "Authentication", 6). */
import type { NameValue } from "../world/records.js";

/** Headers that HTTP keeps for the connection and for framing the message: no sender chooses them. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether HTTP lets a sender set a header; `Host` is one that it does. */
export const isSendable = (name: string): boolean => !CONNECTION_HEADERS.has(name.toLowerCase());

/**
 * The names of those headers that deliveries go without, each once, as they are written first. With `toSink` that is `Host`
 * too: the simulator answers calls to its own name only.
 */
export function omittedHeaders(headers: readonly NameValue[], toSink = false): string[] {
  const names = new Map<string, string>();
  for (const { name } of headers) {
    const key = name.toLowerCase();
    const isOmitted = !isSendable(name) || (toSink && key === "host");
    if (isOmitted && !names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}
