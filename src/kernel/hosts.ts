import { BlockList, isIP, isIPv4, SocketAddress } from "node:net";
import { lazily } from "./packages.js";

/** What kind of network a host is in, judged by its name or address alone. */
type HostKind = "loopback" | "private" | "container" | "link-local" | "metadata" | "public";

/** Addresses given as `NETWORK/BITS`, or alone. IPv4 addresses also match in their IPv6 form, which the system resolves itself. */
function addresses(...ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits] = range.split("/");
    const family = network.includes(":") ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return list;
}

/** The addresses at which clouds serve metadata and credentials to their machines. */
export const METADATA_ADDRESSES = [
  // Most of them.
  "169.254.169.254",
  // AWS.
  ...["fd00:ec2::254", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"],
  // Google Cloud.
  ...["fd20:ce::254", "169.254.169.252"],
  // Azure.
  "168.63.129.16",
  // Oracle.
  ...["fd00:c1::a9fe:a9fe", "192.0.0.192"],
  // Alibaba, Tencent, Scaleway and OpenStack.
  ...["100.100.100.200", "169.254.0.23", "169.254.42.42", "fd00:42::42", "fe80::a9fe:a9fe"],
];

/** What translators send on to an IPv4 address: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
function translated(address: string): string[] {
  const hex = Buffer.from(address.split(".").map(Number)).toString("hex");
  return [`64:ff9b::${address}`, `2002:${hex.slice(0, 4)}:${hex.slice(4)}::/48`];
}

/** The first one that contains an address decides. Made for the first address that needs them: no start does. */
const networks = lazily((): readonly (readonly [HostKind, BlockList])[] => [
  ["metadata", addresses(...METADATA_ADDRESSES, ...METADATA_ADDRESSES.filter(isIPv4).flatMap(translated))],
  ["loopback", addresses("127.0.0.0/8", "::1")],
  ["link-local", addresses("169.254.0.0/16", "fe80::/10")],
  ["private", addresses("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")],
]);

/**
 * Classifies a host: a loopback address or name, a private address, a name without a dot (a container or a machine on the
 * local network), a link-local address, a cloud's metadata service, or anything else. An IPv6 address may be in brackets
 * and have a zone.
 */
export function hostKind(hostname: string): HostKind {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$|%.*$/g, "")
    .replace(/\.$/, "");
  const version = isIP(host);
  if (version === 4 && host.startsWith("127.")) return "loopback";
  if (version !== 0) {
    const address = new SocketAddress({ address: host, family: version === 6 ? "ipv6" : "ipv4" });
    return networks().find(([, list]) => list.check(address))?.[0] ?? "public";
  }
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return host !== "" && !host.includes(".") ? "container" : "public";
}

/** This machine and local networks, containers included. */
export const isLocalKind = (kind: HostKind): boolean => ["loopback", "private", "container"].includes(kind);

export const isLocalHost = (hostname: string): boolean => isLocalKind(hostKind(hostname));
