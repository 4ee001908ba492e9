import { isIP } from "node:net";

/** Where a host name leads, judged by the name alone. */
type HostKind = "loopback" | "private" | "container" | "public";

const PRIVATE_V4 = [/^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./];

/**
 * The kind of a host: a loopback address or name, a private address, a name without a dot (a container or a machine of the
 * own network), or anything else. An IPv6 address may stand in brackets.
 */
export function hostKind(hostname: string): HostKind {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  const version = isIP(host);
  if (version === 4) return addressKindV4(host);
  if (version === 6) return addressKindV6(host);
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return host !== "" && !host.includes(".") ? "container" : "public";
}

function addressKindV4(address: string): HostKind {
  if (address.startsWith("127.")) return "loopback";
  return PRIVATE_V4.some((range) => range.test(address)) ? "private" : "public";
}

function addressKindV6(address: string): HostKind {
  if (address === "::1") return "loopback";
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(address);
  if (mapped !== null) {
    const [, dotted, high = "", low = ""] = mapped;
    return addressKindV4(dotted ?? dottedFrom(high, low));
  }
  return /^f[cd][0-9a-f]{2}:/.test(address) || /^fe[89ab][0-9a-f]:/.test(address) ? "private" : "public";
}

const dottedFrom = (high: string, low: string): string =>
  [high, low].flatMap((part) => [Number.parseInt(part, 16) >>> 8, Number.parseInt(part, 16) & 255]).join(".");
