import type { HarEntry } from "../../src/lab/proxy/har.js";
import { harEntryOf, seenText } from "../../src/lab/proxy/har.js";

interface Seen {
  readonly direction?: HarEntry["_direction"];
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status?: number;
  readonly statusText?: string;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly answer?: unknown;
  readonly type?: string;
  readonly error?: string;
}

const pairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));
const bodyOf = (value: unknown = "") => seenText(typeof value === "string" ? value : JSON.stringify(value));

/** An entry that nothing has redacted; a body that is no text is written as JSON. */
export const entry = (seen: Seen = {}): HarEntry => {
  const { type = "application/json", headers = {}, answerHeaders = {} } = seen;
  return harEntryOf({
    direction: seen.direction ?? "call",
    startedAt: "2026-01-01T09:00:00.000Z",
    timings: { send: 1, wait: 2, receive: 3 },
    method: seen.method ?? "POST",
    url: seen.url ?? "https://api.example/api/update-thread-status",
    headers: pairs({ "content-type": type, ...headers }),
    body: bodyOf(seen.body),
    status: seen.status ?? 200,
    statusText: seen.statusText ?? "OK",
    responseHeaders: pairs({ "content-type": "application/json", ...answerHeaders }),
    responseBody: bodyOf(seen.answer),
    ...(seen.error !== undefined && { error: seen.error }),
  });
};
