import { isIPv6 } from "node:net";
import { hostKind } from "../kernel/hosts.js";

/**
 * Keeps webhook calls on this machine and the networks around it (contract section 1, "Outbound guard"). Loopback and
 * private addresses and host names without a dot pass; other hosts pass only when they are allowed, or `*` is.
 */
export class OutboundGuard {
  readonly #allowsAll: boolean;
  readonly #allowed: ReadonlySet<string>;

  /** `allowed` are the values of `--allow-outbound`: host names or `*`. Ports in them are ignored. */
  constructor(allowed: readonly string[]) {
    this.#allowsAll = allowed.includes("*");
    this.#allowed = new Set(allowed.map(plainHost));
  }

  /** Why no call may go to a host, and which option would allow it; null where it may. */
  objection(hostname: string): string | null {
    const host = plainHost(hostname);
    if (this.#allowsAll || hostKind(host) !== "public" || this.#allowed.has(host)) return null;
    return `${host} is not a loopback or private address nor a name without a dot: --allow-outbound ${host} lets calls through`;
  }
}

/**
 * A host in the form in which hosts are compared: as a URL holds it, without brackets and final dot. An IPv4 address that
 * is written as a single number, in octal or in hexadecimal thus becomes an address, not a name.
 */
export function plainHost(host: string): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  const url = URL.canParse(`http://${written}`)
    ? new URL(`http://${written}`).hostname
    : written.toLowerCase();
  return url.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
