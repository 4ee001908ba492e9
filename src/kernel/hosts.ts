import { isIP } from "node:net";

/** What kind of network a host is in, judged by its name or address alone. */
type HostKind = "loopback" | "private" | "container" | "link-local" | "metadata" | "public";

/** The addresses at which clouds serve metadata and credentials to their machines, with their documentation. */
export const METADATA_ADDRESSES: Readonly<Record<string, string>> = {
  "169.254.169.254":
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html (also Azure, Google Cloud, Oracle, OpenStack and others)",
  "fd00:ec2::254": "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html",
  "169.254.170.2": "https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html",
  "169.254.170.23": "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html",
  "fd00:ec2::23": "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html",
  "fd20:ce::254": "https://cloud.google.com/compute/docs/metadata/querying-metadata",
  "169.254.169.252": "https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity",
  "168.63.129.16": "https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16",
  "fd00:c1::a9fe:a9fe": "https://docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm",
  "192.0.0.192":
    "https://docs.oracle.com/en/cloud/iaas/compute-iaas-cloud/stcsg/retrieving-instance-metadata.html",
  "100.100.100.200": "https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata",
  "169.254.0.23": "https://www.tencentcloud.com/document/product/213/4934",
  "169.254.42.42": "https://www.scaleway.com/en/docs/instances/how-to/use-cloud-init/",
  "fd00:42::42": "https://www.scaleway.com/en/docs/instances/how-to/use-cloud-init/",
  "fe80::a9fe:a9fe": "https://docs.openstack.org/nova/latest/user/metadata.html",
};

const PRIVATE_V4 = [/^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./];

/**
 * Classifies a host: a loopback address or name, a private address, a name without a dot (a container or a machine on the
 * local network), a link-local address, a cloud's metadata service, or anything else. An IPv6 address may be in brackets
 * and have a zone.
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

/** Whether a host is this machine or on a local network, containers included. */
export const isLocalHost = (hostname: string): boolean =>
  ["loopback", "private", "container"].includes(hostKind(hostname));

function kindOfV4(address: string): HostKind {
  if (Object.hasOwn(METADATA_ADDRESSES, address)) return "metadata";
  if (address.startsWith("127.")) return "loopback";
  if (address.startsWith("169.254.")) return "link-local";
  return PRIVATE_V4.some((range) => range.test(address)) ? "private" : "public";
}

/** The prefix of an IPv4-mapped address, which the system resolves itself. */
const MAPPED = /^0:0:0:0:0:ffff:/;
/**
 * Other prefixes that embed an IPv4 address somewhere: IPv4-compatible (RFC 4291), stateless translation (RFC 2765), NAT64
 * (RFC 6052, RFC 8215) and 6to4 (RFC 3056).
 */
const EMBEDDING = /^(0:0:0:0:0:0|0:0:0:0:ffff:0|64:ff9b:0:0:0:0|64:ff9b:1|2002):/;

function kindOfV6(groups: readonly string[]): HostKind {
  const address = groups.join(":");
  const [first = ""] = groups;
  if (address === "0:0:0:0:0:0:0:1") return "loopback";
  if (METADATA_V6.has(address)) return "metadata";
  const bytes = bytesOf(groups);
  if (MAPPED.test(address)) return kindOfV4(bytes.slice(-4).join("."));
  // Byte 8 is reserved, and left out of addresses that stand around it.
  const embedding = EMBEDDING.test(address) ? [bytes, bytes.toSpliced(8, 1)] : [];
  const kinds = embedding.flatMap((all) => all.map((_, at) => kindOfV4(all.slice(at, at + 4).join("."))));
  if (kinds.includes("metadata")) return "metadata";
  if (kinds.includes("link-local") || /^fe[89ab][0-9a-f]$/.test(first)) return "link-local";
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

const bytesOf = (groups: readonly string[]): number[] => [
  ...Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex"),
];

export const bytesOfIPv6 = (address: string): number[] => bytesOf(groupsOf(address));

const METADATA_V6 = new Set(
  Object.keys(METADATA_ADDRESSES)
    .filter((address) => isIP(address) === 6)
    .map((address) => groupsOf(address).join(":")),
);
