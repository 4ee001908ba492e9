/** HTTP archives (HAR 1.2) of calls and deliveries. */
import { VERSION } from "../../kernel/packages.js";

export interface HarPair {
  readonly name: string;
  readonly value: string;
}

/** One exchange. `_direction`: from the program to the service, or from the service to the program's webhook. */
export interface HarEntry {
  readonly startedDateTime: string;
  /** The total time, milliseconds. */
  readonly time: number;
  readonly _direction: "call" | "delivery";
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly HarPair[];
    readonly headers: readonly HarPair[];
    readonly queryString: readonly HarPair[];
    /** Without `text`, the comment says why the body was not recorded. */
    readonly postData?: { readonly mimeType: string; readonly text?: string; readonly comment?: string };
    readonly headersSize: number;
    readonly bodySize: number;
  };
  readonly response: {
    /** 0: the client did not wait for the response. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly HarPair[];
    readonly headers: readonly HarPair[];
    /** `size` is that of the decoded body; without `text`, the comment says why it was not recorded. */
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text?: string;
      readonly comment?: string;
    };
    readonly redirectURL: string;
    readonly headersSize: number;
    readonly bodySize: number;
    /** Why the service did not answer, or not completely. */
    readonly _error?: string;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
}

export interface Har {
  readonly log: {
    readonly version: "1.2";
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

export const harOf = (entries: readonly HarEntry[]): Har => ({
  log: { version: "1.2", creator: { name: "messaging-sim", version: VERSION }, entries },
});

/** An observed body: its text, or why there is none. */
export interface SeenBody {
  /** Bytes on the wire. */
  readonly wireBytes: number;
  /** Bytes after decoding. */
  readonly size: number;
  readonly text?: string;
  readonly comment?: string;
}

/** One observed exchange, not redacted yet. */
export interface Exchange {
  readonly direction: HarEntry["_direction"];
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds until the request was read, then until the response started, then until it ended. */
  readonly timings: HarEntry["timings"];
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HarPair[];
  readonly body: SeenBody;
  readonly status: number;
  readonly statusText: string;
  readonly responseHeaders: readonly HarPair[];
  readonly responseBody: SeenBody;
  readonly error?: string;
}

const HTTP = "HTTP/1.1";
const headerIn = (headers: readonly HarPair[], name: string): string =>
  headers.find((header) => header.name.toLowerCase() === name)?.value ?? "";

/** An exchange as an entry, without the simulator's headers, not redacted yet. */
export function harEntryOf(exchange: Exchange): HarEntry {
  const { timings, body, responseBody, error } = exchange;
  const [headers, responseHeaders] = [exchange.headers, exchange.responseHeaders].map((all) =>
    all.filter(({ name }) => !/^x-sim-/i.test(name)),
  ) as [HarPair[], HarPair[]];
  const mimeType = headerIn(headers, "content-type");
  const { text = "", comment } = body;
  return {
    startedDateTime: exchange.startedAt,
    time: timings.send + timings.wait + timings.receive,
    _direction: exchange.direction,
    request: {
      method: exchange.method,
      url: exchange.url,
      httpVersion: HTTP,
      cookies: [],
      headers,
      queryString: [],
      ...(body.wireBytes > 0 && {
        postData: { mimeType, ...(comment === undefined ? { text } : { comment }) },
      }),
      headersSize: -1,
      bodySize: body.wireBytes,
    },
    response: {
      status: exchange.status,
      statusText: exchange.statusText,
      httpVersion: HTTP,
      cookies: [],
      headers: responseHeaders,
      content: {
        size: responseBody.size,
        mimeType: headerIn(responseHeaders, "content-type"),
        ...(responseBody.text !== undefined && { text: responseBody.text }),
        ...(responseBody.comment !== undefined && { comment: responseBody.comment }),
      },
      redirectURL: headerIn(responseHeaders, "location"),
      headersSize: -1,
      bodySize: responseBody.wireBytes,
      ...(error !== undefined && { _error: error }),
    },
    cache: {},
    timings,
  };
}
