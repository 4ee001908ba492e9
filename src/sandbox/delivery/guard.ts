import type { LookupAddress } from "node:dns";
import { lookup as lookUp } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { hostKind, isLocalHost } from "../../kernel/hosts.js";

/** The outbound guard keeps a call from the address that its host resolves to; the message says which option would allow it. */
export class OutboundRefused extends Error {}

const NEVER = "no option allows calls to it";

/**
 * Keeps webhook calls on this machine and the networks around it. Loopback and
 * private addresses and host names without a dot pass; other hosts pass only when they are allowed, or `*` is. Addresses of
 * the link alone pass only when they are allowed by themselves, those of metadata services never. A name passes only to
 * addresses that pass.
 */
export class OutboundGuard {
  readonly #allowsAll: boolean;
  readonly #allowed: ReadonlySet<string>;
  readonly #lookUp: LookupFunction;

  /**
   * `allowed` are the values of `--allow-outbound`: host names, addresses or `*`. Ports in them are ignored. `lookup`
   * resolves names; left out: as the system does.
   */
  constructor(allowed: readonly string[], lookup: LookupFunction = lookUp) {
    this.#allowsAll = allowed.includes("*");
    this.#allowed = new Set(allowed.map(plainHost));
    this.#lookUp = lookup;
  }

  /** Why no call may go to a host, and which option would allow it; null where it may. */
  objection(hostname: string): string | null {
    const host = plainHost(hostname);
    const kind = hostKind(host);
    if (kind === "metadata") return `${host} is the address of a cloud's metadata service: ${NEVER}`;
    if (this.#allowed.has(host)) return null;
    if (kind === "link-local")
      return `${host} is a link-local address: only --allow-outbound ${host} allows calls to it`;
    if (this.#allowsAll || isLocalHost(host)) return null;
    return `${host} is not a loopback or private address or a name without a dot: --allow-outbound ${host} allows calls to it`;
  }

  /** Resolves a host to the addresses among its own that may be called. Fails with `OutboundRefused` where none may. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      // With `all` every address is asked for.
      const addresses = found as LookupAddress[];
      const passing = addresses.filter(({ address }) => this.#objectionTo(hostname, address) === null);
      const [first] = passing;
      if (first === undefined) {
        const objection = this.#objectionTo(hostname, addresses[0]?.address ?? "");
        return callback(new OutboundRefused(objection ?? `${hostname} has no address`), []);
      }
      if (options.all === true) callback(null, passing);
      else callback(null, first.address, first.family);
    });
  };

  /** The same for an address that a host resolves to. Whoever allows a name allows what it resolves to. */
  #objectionTo(hostname: string, address: string): string | null {
    const host = plainHost(hostname);
    const kind = hostKind(address);
    if (kind === "metadata")
      return `${host} resolves to ${address}, the address of a cloud's metadata service: ${NEVER}`;
    if (this.#allowed.has(plainHost(address))) return null;
    if (kind === "link-local")
      return `${host} resolves to ${address}, a link-local address: only --allow-outbound ${plainHost(address)} allows calls to it`;
    if (this.#allowsAll || this.#allowed.has(host) || isLocalHost(address)) return null;
    return `${host} resolves to ${address}, which is not a loopback or private address: --allow-outbound ${host} allows calls to it`;
  }
}

/**
 * A host in the form in which hosts are compared: as a URL holds it, without brackets, zone and final dot. An IPv4 address that
 * is written as a single number, in octal or in hexadecimal thus becomes an address, not a name.
 */
export function plainHost(host: string): string {
  const written = isIPv6(host) ? `[${host.replace(/%.*$/, "")}]` : host;
  const url = URL.canParse(`http://${written}`)
    ? new URL(`http://${written}`).hostname
    : written.toLowerCase();
  return url.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
