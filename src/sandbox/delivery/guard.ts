import type { LookupAddress } from "node:dns";
import { lookup as lookUp } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { hostKind, isLocalHost } from "../../kernel/hosts.js";

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

  /** Why no call may go to a host, or to an address that it resolves to, and which option allows it; null if it may. */
  objection(hostname: string, address?: string): string | null {
    const host = plainHost(hostname);
    const called = address === undefined ? host : plainHost(address);
    const kind = hostKind(called);
    const [what, which] = address === undefined ? ["is", ""] : [`resolves to ${address},`, "which is "];
    if (kind === "metadata")
      return `${host} ${what} the address of a cloud's metadata service: no option allows calls to it`;
    if (this.#allowed.has(called)) return null;
    if (kind === "link-local")
      return `${host} ${what} a link-local address: only --allow-outbound ${called} allows calls to it`;
    if (this.#allowed.has("*") || this.#allowed.has(host) || isLocalHost(called)) return null;
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
  return url.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
