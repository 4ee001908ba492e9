import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The headers that tell where a call comes from. */
type Called = Pick<IncomingMessage, "headers" | "headersDistinct">;

/** The hosts that a call names: in its target where that is absolute, and in `Host`. */
export const hostsOf = ({ headers, headersDistinct }: Called): readonly (string | undefined)[] => [
  headers.host,
  ...(headersDistinct.host ?? []),
];

/** The names under which a server is known to be called; any other name hints at DNS rebinding. */
export class HostNames {
  readonly #names: ReadonlySet<string>;

  constructor(
    /** The host that the server listens on. */
    readonly host: string,
    /** More names under which it may be called. */
    more: readonly string[] = [],
  ) {
    this.#names = new Set(["localhost", host, ...more].map(nameOf));
  }

  /** The first host that a call names and that is neither an IP address nor a known name. */
  unknownOf(call: Called): string | undefined {
    return hostsOf(call).find((host) => host !== undefined && !this.#knows(nameOf(host)));
  }

  /** The same for a call that a page may have a browser make: its name leads here only by DNS rebinding. */
  reboundOf(call: Called): string | undefined {
    return isBrowsers(call) ? this.unknownOf(call) : undefined;
  }

  #knows(name: string): boolean {
    return isIP(name) !== 0 || this.#names.has(name);
  }
}

/**
 * Whether a browser makes the call. `Sec-Fetch-Site` and `Origin` come from browsers alone, but Chromium sends neither with a
 * GET to the page's own origin over plain http; so what calls itself `Mozilla/…`, as all browsers do, counts as one.
 */
const isBrowsers = ({ headers }: Pick<Called, "headers">): boolean =>
  headers.origin !== undefined ||
  headers["sec-fetch-site"] !== undefined ||
  /^mozilla\//i.test(headers["user-agent"] ?? "");

/** The name in a `Host` header or option: without port, brackets and final dot, in lower case. */
export function nameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (isIP(text) === 6) return text;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(text) ?? [];
  return bracketed ?? plain.replace(/\.$/, "");
}
