import type { HarEntry } from "../../src/lab/proxy/har.js";
import { harEntryOf, seenText } from "../../src/lab/proxy/har.js";

type Headers = Readonly<Record<string, string>>;
type Seen = Partial<Omit<Parameters<typeof harEntryOf>[0], "headers" | "body">> & {
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly type?: string;
  readonly answerHeaders?: Headers;
  readonly answer?: unknown;
};

const JSON_TYPE = "application/json";
const pairs = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));
const bodyOf = (value: unknown = "") => seenText(typeof value === "string" ? value : JSON.stringify(value));

/** An entry that nothing has redacted; a body that is no text is written as JSON. */
export const entry = ({
  headers,
  body,
  type = JSON_TYPE,
  answerHeaders,
  answer,
  ...seen
}: Seen = {}): HarEntry =>
  harEntryOf({
    direction: "call",
    startedAt: "2026-01-01T09:00:00.000Z",
    timings: { send: 1, wait: 2, receive: 3 },
    method: "POST",
    url: "https://api.example/api/update-thread-status",
    status: 200,
    statusText: "OK",
    ...seen,
    headers: pairs({ "content-type": type, ...headers }),
    body: bodyOf(body),
    responseHeaders: pairs({ "content-type": JSON_TYPE, ...answerHeaders }),
    responseBody: bodyOf(answer),
  });
