/** HTTP archives (HAR 1.2) of calls and deliveries. */
import { omitUndefined } from "../../kernel/objects.js";
import { VERSION } from "../../kernel/packages.js";

export interface HarPair {
  readonly name: string;
  readonly value: string;
}

/** A body; without `text`, the comment says why it was not recorded. */
interface HarBody {
  readonly mimeType: string;
  readonly text?: string;
  readonly comment?: string;
}

interface HarMessage {
  readonly httpVersion: string;
  readonly cookies: readonly HarPair[];
  readonly headers: readonly HarPair[];
  readonly headersSize: number;
  readonly bodySize: number;
}

/** One exchange. `_direction`: from the program to the service, or from the service to the program's webhook. */
export interface HarEntry {
  readonly startedDateTime: string;
  /** The total time, milliseconds. */
  readonly time: number;
  readonly _direction: "call" | "delivery";
  readonly request: HarMessage & {
    readonly method: string;
    readonly url: string;
    readonly queryString: readonly HarPair[];
    readonly postData?: HarBody;
  };
  readonly response: HarMessage & {
    /** 0: the client did not wait for the response. */
    readonly status: number;
    readonly statusText: string;
    /** `size` is that of the decoded body. */
    readonly content: HarBody & { readonly size: number };
    readonly redirectURL: string;
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

/** A body that was not compressed. */
export const seenText = (text: string): SeenBody => {
  const size = Buffer.byteLength(text);
  return { wireBytes: size, size, text };
};

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

const headerIn = (headers: readonly HarPair[], name: string): string =>
  headers.find((header) => header.name.toLowerCase() === name)?.value ?? "";

const messageOf = (all: readonly HarPair[], { wireBytes }: SeenBody) => ({
  httpVersion: "HTTP/1.1",
  cookies: [],
  headers: all.filter(({ name }) => !/^x-sim-/i.test(name)),
  headersSize: -1,
  bodySize: wireBytes,
});

const contentOf = (headers: readonly HarPair[], { text, comment }: SeenBody): HarBody => ({
  mimeType: headerIn(headers, "content-type"),
  ...omitUndefined({ text, comment }),
});

/** An exchange as an entry, without the simulator's headers, not redacted yet. */
export function harEntryOf(exchange: Exchange): HarEntry {
  const { timings, headers, body, responseHeaders, responseBody, error } = exchange;
  return {
    startedDateTime: exchange.startedAt,
    time: timings.send + timings.wait + timings.receive,
    _direction: exchange.direction,
    request: {
      ...messageOf(headers, body),
      method: exchange.method,
      url: exchange.url,
      queryString: [],
      ...(body.wireBytes > 0 && { postData: contentOf(headers, body) }),
    },
    response: {
      ...messageOf(responseHeaders, responseBody),
      status: exchange.status,
      statusText: exchange.statusText,
      content: { size: responseBody.size, ...contentOf(responseHeaders, responseBody) },
      redirectURL: headerIn(responseHeaders, "location"),
      ...omitUndefined({ _error: error }),
    },
    cache: {},
    timings,
  };
}
