import { isIPv6 } from "node:net";
import { DEFAULT_SANDBOX } from "../../protocol/names.js";
import { EPOCH_PARAMETER } from "../sinks.js";
import { type OutboundGuard, plainHost } from "./guard.js";

export interface Target {
  /** Scheme, host and port of the connection. */
  readonly origin: string;
  /** The host alone, without brackets. */
  readonly hostname: string;
  readonly path: string;
  readonly secure: boolean;
  readonly isOwn: boolean;
  /** The `Host` header, if the connection goes elsewhere than the URL says; otherwise undefined. */
  readonly host: string | undefined;
}

/** The target of a webhook's URL, or why nothing is called. */
export type Resolution =
  | { readonly target: Target }
  | { readonly blocked: string }
  | { readonly unusable: string };

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

  /** `ownUrl` returns the simulator's own base address, which is known once it listens. */
  constructor(
    private readonly ownUrl: () => string,
    readonly guard: OutboundGuard,
    rewrites: readonly HostRewrite[],
  ) {
    this.#rewrites = rewrites.map(({ from, to }) => ({ from: parseHost(from), to: parseHost(to) }));
  }

  isOwn(origin: string): boolean {
    const own = this.ownUrl();
    return URL.canParse(own) && new URL(own).origin === origin;
  }

  /** `epoch` becomes part of a sink's address, so that the sinks of a later run refuse what a reset has aborted. */
  resolve(webhookUrl: string, sandboxId: string, epoch?: number): Resolution {
    const isSink = webhookUrl.startsWith(SINK);
    const text = isSink ? this.#sinkUrl(webhookUrl.slice(SINK.length), sandboxId, epoch) : webhookUrl;
    if (!URL.canParse(text)) return { unusable: `${text} is not a URL` };
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) return { unusable: `${url.protocol} URLs cannot be called` };
    const host = isSink ? undefined : this.#rewrite(url);
    const objection = isSink ? null : this.guard.objection(url.hostname);
    if (objection !== null) return { blocked: objection };
    return {
      target: {
        origin: url.origin,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        path: url.pathname + url.search,
        secure: url.protocol === "https:",
        isOwn: this.isOwn(url.origin),
        host,
      },
    };
  }

  #sinkUrl(name: string, sandboxId: string, epoch: number | undefined): string {
    const sandbox = sandboxId === DEFAULT_SANDBOX ? "" : `/sandboxes/${encodeURIComponent(sandboxId)}`;
    const query = epoch === undefined ? "" : `?${EPOCH_PARAMETER}=${epoch}`;
    return `${this.ownUrl()}/__sim${sandbox}/sinks/${encodeURIComponent(name.toWellFormed())}${query}`;
  }

  /** Applies the first matching rewrite and returns the URL's host; undefined if none matches. */
  #rewrite(url: URL): string | undefined {
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
