/** Whom a request is for, and who makes it: its target, its host and the headers of the simulator's own calls. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { BOUNDS } from "../bounds.js";

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

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze({});
/** What makes a query more than one parameter that stands for itself. */
const NOT_PLAIN = /[^\w.=-]/;

/** The parameters of a query; of a repeated one the last. Plain ones, which most are, need no decoding. */
export function queryOf(raw: string): Readonly<Record<string, string>> {
  if (raw === "") return NO_QUERY;
  const sign = raw.indexOf("=");
  if (sign < 1 || NOT_PLAIN.test(raw)) return Object.fromEntries(new URLSearchParams(raw));
  return { [raw.slice(0, sign)]: raw.slice(sign + 1) };
}

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
    readonly host: string,
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

/** Says, on every call that the simulator makes, how many calls of its own led to it, that one included. */
export const HOPS_HEADER = "x-sim-hops";

/** Says who makes a call, where that is neither the system under test nor its test. */
export const CALL_MAKER_HEADER = "x-sim-by";

/** Says in which sandbox a scenario runs whose call has no token, which else would say it. */
export const SANDBOX_HEADER = "x-sim-sandbox";

/** How many calls of the simulator may lead to one another: more of them go round in a circle. */
export const MAX_HOPS = BOUNDS.hops.limit;

/** How many calls of the simulator led to a call with this value of the header. */
export const readHops = (value: unknown): number =>
  typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : 0;
