import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The headers that tell where a call comes from. */
type Called = Pick<IncomingMessage, "headers">;

/** The names under which a server is known to be called; any other name hints at DNS rebinding. */
export class HostNames {
  readonly #names: ReadonlySet<string>;

  constructor(
    /** The host that the server listens on. */
    host: string,
    /** More names under which it may be called. */
    more: readonly string[] = [],
  ) {
    this.#names = new Set(["localhost", host, ...more].map(nameOf));
  }

  /** Whether a call names an IP address or a known name as its `Host`, or nothing. */
  knows({ headers: { host } }: Called): boolean {
    if (host === undefined) return true;
    const name = nameOf(host);
    return isIP(name) !== 0 || this.#names.has(name);
  }

  /** Whether a page may have a browser make this call under a name that leads here only by DNS rebinding. */
  isRebound(call: Called): boolean {
    return isBrowsers(call) && !this.knows(call);
  }
}

/**
 * Whether a browser makes the call. `Sec-Fetch-Site` and `Origin` come from browsers alone, but Chromium sends neither with a
 * GET to the page's own origin over plain http; so what calls itself `Mozilla/…`, as all browsers do, counts as one.
 */
const isBrowsers = ({ headers }: Called): boolean =>
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
