import { isIPv6 } from "node:net";
import { DEFAULT_SANDBOX } from "../sandbox/registry.js";
import { EPOCH_PARAMETER } from "../sandbox/sinks.js";
import type { OutboundGuard } from "./guard.js";
import { plainHost } from "./guard.js";

/** What is called for a webhook. */
export interface Target {
  /** Scheme, host and port that are connected to. */
  readonly origin: string;
  /** The host alone, without brackets. */
  readonly hostname: string;
  readonly path: string;
  readonly secure: boolean;
  /** The `Host` header where the connection goes elsewhere than the URL says; undefined for none of its own. */
  readonly host: string | undefined;
}

/** What a webhook's URL leads to: a target, or why nothing is called. */
export type Resolution =
  | { readonly target: Target }
  /** The outbound guard blocks the host. */
  | { readonly blocked: string }
  | { readonly unusable: string };

/** `--rewrite-host FROM=TO`, each a host or host:port. */
export interface HostRewrite {
  readonly from: string;
  readonly to: string;
}

interface HostAndPort {
  readonly host: string;
  readonly port: string | undefined;
}

const SINK = "sink:";

/**
 * Finds out what is called for a webhook: the simulator's own sinks by name, other URLs after host rewriting, which
 * changes only where the connection goes (`Host` and the name in TLS stay those of the URL). The guard judges what is
 * connected to in the end.
 */
export class Targets {
  readonly #ownUrl: () => string;
  readonly #guard: OutboundGuard;
  readonly #rewrites: readonly { readonly from: HostAndPort; readonly to: HostAndPort }[];

  /** `ownUrl` is the simulator's own base address, asked for at each call. */
  constructor(ownUrl: () => string, guard: OutboundGuard, rewrites: readonly HostRewrite[]) {
    this.#ownUrl = ownUrl;
    this.#guard = guard;
    this.#rewrites = rewrites.map(({ from, to }) => ({ from: parseHost(from), to: parseHost(to) }));
  }

  /** Whether an origin is the simulator's own. */
  isOwn(origin: string): boolean {
    const own = this.#ownUrl();
    return URL.canParse(own) && new URL(own).origin === origin;
  }

  /** A sink is told the `epoch`, so that the sink of a later run refuses what a reset has aborted. */
  resolve(webhookUrl: string, sandboxId: string, epoch?: number): Resolution {
    const isSink = webhookUrl.startsWith(SINK);
    const text = isSink ? this.#sinkUrl(webhookUrl.slice(SINK.length), sandboxId, epoch) : webhookUrl;
    if (!URL.canParse(text)) return { unusable: `${text} is no URL` };
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) return { unusable: `${url.protocol} URLs cannot be called` };
    const host = isSink ? undefined : this.#rewrite(url);
    const objection = isSink ? null : this.#guard.objection(url.hostname);
    if (objection !== null) return { blocked: objection };
    return {
      target: {
        origin: url.origin,
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        path: url.pathname + url.search,
        secure: url.protocol === "https:",
        host,
      },
    };
  }

  #sinkUrl(name: string, sandboxId: string, epoch: number | undefined): string {
    const sandbox = sandboxId === DEFAULT_SANDBOX ? "" : `/sandboxes/${encodeURIComponent(sandboxId)}`;
    const query = epoch === undefined ? "" : `?${EPOCH_PARAMETER}=${epoch}`;
    return `${this.#ownUrl()}/__sim${sandbox}/sinks/${encodeURIComponent(name)}${query}`;
  }

  /** Applies the first rewrite that fits and returns the host that the URL had; undefined where none fits. */
  #rewrite(url: URL): string | undefined {
    const host = plainHost(url.hostname);
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const fitting = this.#rewrites.find(
      ({ from }) => from.host === host && (from.port === undefined || from.port === port),
    );
    if (fitting === undefined) return undefined;
    const original = url.host;
    url.hostname = isIPv6(fitting.to.host) ? `[${fitting.to.host}]` : fitting.to.host;
    if (fitting.to.port !== undefined) url.port = fitting.to.port;
    return original;
  }
}

function parseHost(text: string): HostAndPort {
  const parts = isIPv6(text) ? null : /^(.*?)(?::(\d+))?$/.exec(text);
  return { host: plainHost(parts?.[1] ?? text), port: parts?.[2] };
}
