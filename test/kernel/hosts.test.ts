import { expect, it } from "vitest";
import { hostKind, isLocalHost, METADATA_ADDRESSES } from "../../src/kernel/hosts.js";

const ROWS: [kind: string, hosts: string[]][] = [
  ["loopback", ["localhost", "localhost.", "bot.localhost", "a.b.localhost.", "127.0.0.1", "127.0.0.1."]],
  ["loopback", ["::1", "::ffff:127.0.0.1", "[::ffff:7f00:1]", "[::FFFF:7F00:1]", "0:0:0:0:0:0:0:1"]],
  ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.20", "::ffff:10.0.0.1"]],
  ["private", ["fc00::1", "fd00:ec2::253", "fd00:ec2::1:254", "fd12:3456::1", "[fdff::]"]],
  ["private", ["::ffff:192.168.100.200", "[::ffff:c0a8:101]"]],
  ["link-local", ["169.254.0.1", "fe80:1:2:3:4:5:6:7", "fe80::1", "fe80::1%eth0"]],
  ["link-local", ["::ffff:169.254.0.1"]],
  ["metadata", [...METADATA_ADDRESSES, "[FD00:0EC2:0:0::0254]", "fe80::a9fe:a9fe%eth0"]],
  ...["a9fe:a9fe", "6464:64c8", "a83f:8110", "c000:00c0"].flatMap((v4): [string, string[]][] => [
    ["metadata", [`[::ffff:${v4}]`, `0:0:0:0:0:ffff:${v4}`, `64:ff9b::${v4}`, `2002:${v4}:1:2:3:4:5`]],
  ]),
  ["container", ["bot", "host-1", "web_app", "BOT", "bot.", "localhost4"]],
  [
    "public",
    ["", "bot.example", "localhost.example", "notlocalhost.com", "127.0.0.1.example", "192.169.0.1"],
  ],
  ["public", ["host.docker.internal", "1[0.0.0.1", "1]0.0.0.1", "10.0.0.256", "0.0.0.0", "8.8.8.8"]],
  ["public", ["8.10.0.1", "8.192.168.1", "8.172.16.1", "172.15.0.1", "172.32.0.1", "192.167.0.1"]],
  ["public", ["100.64.0.1", "169.253.0.1", "169.255.0.1", "::", "2001:db8::1", "fc::1", "fd:1::1", "fe8::1"]],
  ["public", ["fec0::1", "fbff::1", "ff02::1", "2001:fc00::1", "2001:fe80::1", "64:ff9b::ffff:10.0.0.1"]],
  ["public", ["::ffff:7f00:1:2", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1"]],
];

it.each(ROWS)("a host is %s: %j", (kind, hosts) => {
  expect(hosts.map((host) => [host, hostKind(host)])).toEqual(hosts.map((host) => [host, kind]));
  const isLocal = ["loopback", "private", "container"].includes(kind);
  expect(hosts.filter((host) => isLocalHost(host) !== isLocal)).toEqual([]);
});
