import { type LookupAddress, lookup as lookUp } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { hostKind, isLocalKind } from "../../kernel/hosts.js";
import { DEFAULT_SANDBOX } from "../../kernel/names.js";
import { EPOCH_PARAMETER } from "../sinks.js";

/** The outbound guard refused the address that a host resolves to; the message names the option that allows it. */
export class OutboundRefused extends Error {}

/**
 * Restricts webhook calls to this machine and its local networks. Loopback and private addresses and host names without a
 * dot pass; other hosts pass only if they, or `*`, are allowed. Link-local addresses must be allowed individually; metadata
 * services never pass. A name passes only if the addresses that it resolves to do.
 */
export class OutboundGuard {
  readonly #allowed: ReadonlySet<string>;
  readonly #lookUp: LookupFunction;

  /** `allowed`: the values of `--allow-outbound`; `lookup` resolves names, by default with the system's resolver. */
  constructor(allowed: readonly string[], lookup: LookupFunction = lookUp) {
    this.#allowed = new Set(allowed.map((host) => (host === "*" ? host : plainHost(host))));
    this.#lookUp = lookup;
  }

  /**
   * Why no call may go to a host, or to an address that it resolves to, and which option allows it; null if it may.
   * `hostname` is that of a parsed URL.
   */
  objection(hostname: string, address?: string): string | null {
    const host = withoutMarks(hostname);
    const called = address === undefined ? host : plainHost(address);
    const kind = hostKind(called);
    const [what, which] = address === undefined ? ["is", ""] : [`resolves to ${address},`, "which is "];
    if (kind === "metadata")
      return `${host} ${what} the address of a cloud's metadata service: no option allows calls to it`;
    if (this.#allowed.has(called)) return null;
    if (kind === "link-local")
      return `${host} ${what} a link-local address: only --allow-outbound ${called} allows calls to it`;
    if (this.#allowed.has("*") || this.#allowed.has(host) || isLocalKind(kind)) return null;
    const orName = address === undefined ? " or a name without a dot" : "";
    return `${host} ${what} ${which}not a loopback or private address${orName}: start the simulator with --allow-outbound ${host} to allow calls to it`;
  }

  /** Resolves a host to those of its addresses that may be called. Fails with `OutboundRefused` if there are none. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      // With `all`, every address is returned.
      const addresses = found as LookupAddress[];
      const passing = addresses.filter(({ address }) => this.objection(hostname, address) === null);
      const [first] = passing;
      if (first === undefined) {
        const objection = this.objection(hostname, addresses[0]?.address ?? "");
        return callback(new OutboundRefused(objection ?? `${hostname} has no address`), []);
      }
      if (options.all === true) callback(null, passing);
      else callback(null, first.address, first.family);
    });
  };
}

/** A host as a URL has it, without brackets, zone and final dot: `0x7f.1` is recognized as an address. */
export function plainHost(host: string): string {
  const written = isIPv6(host) ? `[${host.replace(/%.*$/, "")}]` : host;
  const url = URL.canParse(`http://${written}`)
    ? new URL(`http://${written}`).hostname
    : written.toLowerCase();
  return withoutMarks(url);
}

/** A URL's hostname without brackets and final dot. */
const withoutMarks = (hostname: string): string => hostname.replace(/^\[|\]$|\.$/g, "");

export interface Destination {
  /** Scheme, host and port of the connection. */
  readonly origin: string;
  /** The host alone, without brackets. */
  readonly hostname: string;
  readonly path: string;
  /** The URL as the receiver knows it. */
  readonly url: string;
  readonly isOwn: boolean;
  /** The `Host` header, if the connection goes elsewhere than the URL says; otherwise undefined. */
  readonly host: string | undefined;
}

/** The target of a URL, or why nothing is called. */
type Resolution = { readonly target: Destination } | { readonly blocked: string };

/** `--rewrite-host FROM=TO`, each a host or host:port. */
export interface HostRewrite {
  readonly from: string;
  readonly to: string;
}

const SINK = "sink:";

/**
 * Resolves webhook URLs to targets. `sink:NAME` is the simulator's own sink of that name. Host rewriting only changes where
 * the connection for any other URL goes: `Host` and the server name in TLS stay those of the URL. The guard checks the host
 * that is connected to.
 */
export class Targets {
  readonly #rewrites: readonly Record<keyof HostRewrite, ReturnType<typeof parseHost>>[];
  readonly #ownOrigin: string | undefined;

  constructor(
    private readonly ownUrl: string,
    readonly guard: OutboundGuard,
    rewrites: readonly HostRewrite[],
  ) {
    this.#rewrites = rewrites.map(({ from, to }) => ({ from: parseHost(from), to: parseHost(to) }));
    // It is no URL if its IPv6 address has a zone.
    this.#ownOrigin = URL.canParse(ownUrl) ? new URL(ownUrl).origin : undefined;
  }

  isOwn(origin: string): boolean {
    return origin === this.#ownOrigin;
  }

  /** `epoch` becomes part of a sink's address, so that the sinks of a later run refuse what a reset has aborted. */
  resolve(webhookUrl: string, sandboxId: string, epoch?: number): Resolution {
    const isSink = webhookUrl.startsWith(SINK);
    const text = isSink ? this.#sinkUrl(webhookUrl.slice(SINK.length), sandboxId, epoch) : webhookUrl;
    if (!URL.canParse(text)) return { blocked: `${text} is not a URL` };
    const url = new URL(text);
    const { href } = url;
    if (!/^https?:$/.test(url.protocol)) return { blocked: `${url.protocol} URLs cannot be called` };
    const host = isSink ? undefined : this.#rewrite(url);
    const objection = isSink ? null : this.guard.objection(url.hostname);
    if (objection !== null) return { blocked: objection };
    return {
      target: {
        origin: url.origin,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        path: url.pathname + url.search,
        url: href,
        isOwn: this.isOwn(url.origin),
        host,
      },
    };
  }

  #sinkUrl(name: string, sandboxId: string, epoch: number | undefined): string {
    const sandbox = sandboxId === DEFAULT_SANDBOX ? "" : `/sandboxes/${encodeURIComponent(sandboxId)}`;
    const query = epoch === undefined ? "" : `?${EPOCH_PARAMETER}=${epoch}`;
    return `${this.ownUrl}/__sim${sandbox}/sinks/${encodeURIComponent(name.toWellFormed())}${query}`;
  }

  /** Applies the first matching rewrite and returns the URL's host; undefined if none matches. */
  #rewrite(url: URL): string | undefined {
    if (this.#rewrites.length === 0) return undefined;
    const host = plainHost(url.hostname);
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const rewrite = this.#rewrites.find(
      ({ from }) => from.host === host && (from.port === undefined || from.port === port),
    );
    if (rewrite === undefined) return undefined;
    const original = url.host;
    url.hostname = isIPv6(rewrite.to.host) ? `[${rewrite.to.host}]` : rewrite.to.host;
    if (rewrite.to.port !== undefined) url.port = rewrite.to.port;
    return original;
  }
}

function parseHost(text: string): { readonly host: string; readonly port: string | undefined } {
  const parts = isIPv6(text) ? null : /^(.*?)(?::(\d+))?$/.exec(text);
  return { host: plainHost(parts?.[1] ?? text), port: parts?.[2] };
}
