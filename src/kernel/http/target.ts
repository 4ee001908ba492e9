/** Where a request is addressed and who sends it: its target, its host, and the headers of the simulator's own calls. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** An absolute target up to its path, as clients send it to a proxy. */
const ABSOLUTE = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;

export function originTarget(target: string): { target: string; host?: string | undefined } {
  if (target.startsWith("/")) return { target };
  const [start = "", host] = ABSOLUTE.exec(target) ?? [];
  const rest = target.slice(start.length);
  return { target: host === undefined || rest.startsWith("/") ? rest : `/${rest}`, host };
}

/** The parameters of a query; the last one wins if repeated. A single plain one, as most calls have, needs no decoding. */
export function queryOf(raw: string): Readonly<Record<string, string>> {
  if (!/^[a-z]\w*=[\w.-]*$/i.test(raw)) return Object.fromEntries(new URLSearchParams(raw));
  const end = raw.indexOf("=");
  const query: Record<string, string> = {};
  query[raw.slice(0, end)] = raw.slice(end + 1);
  return query;
}

type Called = Pick<IncomingMessage, "headers" | "headersDistinct">;

/** The hosts of a call: that of its target, if absolute, and `Host`. */
export const hostsOf = ({ headers, headersDistinct }: Called): readonly (string | undefined)[] => [
  headers.host,
  ...(headersDistinct.host ?? []),
];

/** The names that a server is known by; any other name suggests DNS rebinding. */
export class HostNames {
  readonly #names: ReadonlySet<string>;

  constructor(
    readonly host: string,
    more: readonly string[] = [],
  ) {
    this.#names = new Set(["localhost", host, ...more].map(nameOf));
  }

  /** The first host of a call that is neither an IP address nor a known name. */
  unknownOf(call: Called): string | undefined {
    const isKnown = (name: string) => isIP(name) !== 0 || this.#names.has(name);
    return hostsOf(call).find((host) => host !== undefined && !isKnown(nameOf(host)));
  }

  /** The same for calls that a page could make a browser send: an unknown name can only lead here by DNS rebinding. */
  reboundOf(call: Called): string | undefined {
    return isBrowsers(call) ? this.unknownOf(call) : undefined;
  }
}

/**
 * Whether a browser sends the call. Only browsers send `Sec-Fetch-Site` and `Origin`, but Chromium sends neither with a GET
 * to the page's own origin over plain HTTP; so a `User-Agent` of `Mozilla/…`, which all browsers send, also counts.
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

/** Marks a ping, which no receiver should mistake for an event. */
export const PING_HEADER = "x-sim-ping";

/** Who sends a call, if it is neither the system under test nor its test. */
export const CALL_MAKER_HEADER = "x-sim-by";

/** The sandbox of a scenario's call that has no token to tell it by. */
export const SANDBOX_HEADER = "x-sim-sandbox";
