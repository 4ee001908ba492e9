import { isIPv6 } from "node:net";
import { hostKind } from "../kernel/hosts.js";

/**
 * Keeps webhook calls on this machine and the networks around it (contract section 1, "Outbound guard"): loopback and
 * private addresses and host names without a dot pass; any other host only when it is named, or `*` is given.
 */
export class OutboundGuard {
  readonly #any: boolean;
  readonly #named: ReadonlySet<string>;

  /** `allowed` are the values of `--allow-outbound`: host names or `*`. A port in one is of no account. */
  constructor(allowed: readonly string[]) {
    this.#any = allowed.includes("*");
    this.#named = new Set(allowed.map(plainHost));
  }

  /** Why no call may go to a host, naming the option that would let it through; null where it may. */
  objection(hostname: string): string | null {
    const host = plainHost(hostname);
    if (this.#any || hostKind(host) !== "public" || this.#named.has(host)) return null;
    return `${host} is not a loopback or private address nor a name without a dot: --allow-outbound ${host} lets calls through`;
  }
}

/**
 * A host in the one form in which hosts are compared: as a URL would hold it, so that other spellings of an
 * IPv4 address (a single number, octal, hexadecimal) are told apart from names; without brackets and final dot.
 */
export function plainHost(host: string): string {
  const written = isIPv6(host) ? `[${host}]` : host;
  const url = URL.canParse(`http://${written}`)
    ? new URL(`http://${written}`).hostname
    : written.toLowerCase();
  return url.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
