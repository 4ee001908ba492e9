import { isIP } from "node:net";

/** Where a host leads, judged by its name or address alone. */
type HostKind = "loopback" | "private" | "container" | "link-local" | "public";

const PRIVATE_V4 = [/^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./];

/**
 * The kind of a host: a loopback address or name, a private address, a name without a dot (a container or a machine of the
 * own network), an address of the link alone or of a cloud's metadata service, or anything else. An IPv6 address may stand in
 * brackets and name a zone.
 */
export function hostKind(hostname: string): HostKind {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  const version = isIP(host);
  if (version === 4) return kindOfV4(host);
  if (version === 6) return kindOfV6(groupsOf(host));
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  return host !== "" && !host.includes(".") ? "container" : "public";
}

/** Whether a host is on this machine or in the networks around it, containers included. */
export const isLocalHost = (hostname: string): boolean =>
  ["loopback", "private", "container"].includes(hostKind(hostname));

function kindOfV4(address: string): HostKind {
  if (address.startsWith("127.")) return "loopback";
  if (address.startsWith("169.254.")) return "link-local";
  return PRIVATE_V4.some((range) => range.test(address)) ? "private" : "public";
}

/** The prefixes before an IPv4 address in the last two groups: mapped, compatible and translated (NAT64). */
const MAPPED = "0:0:0:0:0:ffff";
const EMBEDDING = new Set(["0:0:0:0:0:0", "64:ff9b:0:0:0:0"]);
/** Amazon's metadata service. */
const METADATA_V6 = "fd00:ec2:0:0:0:0:0:254";

function kindOfV6(groups: readonly string[]): HostKind {
  const address = groups.join(":");
  const [first = "", ...rest] = groups;
  const prefix = groups.slice(0, 6).join(":");
  if (address === "0:0:0:0:0:0:0:1") return "loopback";
  if (prefix === MAPPED) return kindOfV4(dottedFrom(groups.slice(6)));
  const carried = first === "2002" ? rest.slice(0, 2) : EMBEDDING.has(prefix) ? groups.slice(6) : [];
  if (kindOfV4(dottedFrom(carried)) === "link-local") return "link-local";
  if (address === METADATA_V6 || /^fe[89ab][0-9a-f]$/.test(first)) return "link-local";
  return /^f[cd][0-9a-f]{2}$/.test(first) ? "private" : "public";
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const left = before === "" ? [] : before.split(":");
  if (after === undefined) return left;
  const right = after === "" ? [] : after.split(":");
  return [...left, ...new Array<string>(8 - left.length - right.length).fill("0"), ...right];
}

const dottedFrom = (groups: readonly string[]): string =>
  groups.flatMap((part) => [Number.parseInt(part, 16) >>> 8, Number.parseInt(part, 16) & 255]).join(".");
