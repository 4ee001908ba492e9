/** The outbound guard judges what a name resolves to, and what it judged is what is called. */
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import { receiver, start } from "./support.js";

/** A delivery and a ping to a host that resolves to these addresses, and the names that were resolved. */
async function deliveryTo(host: string, addresses: readonly string[], allowOutbound: readonly string[] = []) {
  const { url, seen } = await receiver();
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked.push(hostname);
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    const error = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    setImmediate(() =>
      found.length === 0 ? callback(error, []) : callback(null, options.all ? found : found[0]!.address, 4),
    );
  };
  const webhooks = [{ url: url.replace("127.0.0.1", host) }];
  const { deliver, service, sandbox } = start({ webhooks, options: { lookup, allowOutbound } });
  const [delivery] = await deliver(1);
  const ping = await service.ping(sandbox.run, sandbox.run.world.get("webhooks", "1")!);
  return { delivery, seen, asked, ping };
}

describe("a name without a dot", () => {
  it.each([[["127.0.0.1"]], [["8.8.8.8", "127.0.0.1"]], [["::ffff:127.0.0.1"]]])(
    "that resolves to %j is called where it is local, and nowhere else",
    async (addresses) => {
      const { delivery, seen, ping } = await deliveryTo("bot", addresses);
      expect(delivery).toMatchObject({ status: "delivered", attempts: [{ status: 200, error: null }] });
      expect(seen).toHaveLength(2);
      expect(seen[0]?.headers.host).toMatch(/^bot:\d+$/);
      expect(ping).toMatchObject({ ok: true });
    },
  );

  it.each(["8.8.8.8", "100.64.0.1", "0.0.0.0", "::", "2001:db8::1", "::ffff:8.8.8.8"])(
    "that resolves to %s is held back, with the option that lets it through",
    async (address) => {
      const { delivery, seen, ping } = await deliveryTo("bot", [address]);
      expect(delivery).toMatchObject({ status: "blocked", attempts: [], nextAttemptAt: null });
      expect(delivery?.reason).toBe(
        `bot resolves to ${address}, which is not a loopback or private address: start the simulator with --allow-outbound bot to allow calls to it`,
      );
      expect(seen).toEqual([]);
      expect(ping).toMatchObject({ ok: false, message: delivery?.reason });
    },
  );
});

it.each(["localhost", "api.localhost"])("%s that resolves elsewhere is held back", async (host) => {
  const { delivery, seen } = await deliveryTo(host, ["203.0.113.7"]);
  expect(delivery).toMatchObject({ status: "blocked", reason: expect.stringContaining("203.0.113.7") });
  expect(seen).toEqual([]);
});

it.each([
  ["169.254.169.254", "no option allows calls to it"],
  ["fd00:ec2::23", "no option allows calls to it"],
  ["100.100.100.200", "no option allows calls to it"],
  ["2002:a9fe:a9fe::1", "no option allows calls to it"],
  ["fe80::1", "a link-local address: only --allow-outbound"],
])("the metadata or link-local address %s is reached by no name: %s", async (address, reason) => {
  for (const allowed of ["*", "bot.example"]) {
    const { delivery, seen } = await deliveryTo("bot.example", [address], [allowed]);
    expect(delivery).toMatchObject({ status: "blocked", attempts: [] });
    expect(delivery?.reason).toContain(reason);
    expect(seen).toEqual([]);
  }
});

it("an allowed name is called wherever it resolves to", async () => {
  const { delivery } = await deliveryTo("bot.example", ["127.0.0.1"], ["bot.example"]);
  expect(delivery).toMatchObject({ status: "delivered" });
});

it("a name that is not allowed is not resolved", async () => {
  const { delivery, asked } = await deliveryTo("bot.example", ["127.0.0.1"]);
  expect([delivery?.status, asked]).toEqual(["blocked", []]);
});

it("an unknown name fails to resolve", async () => {
  const { delivery, ping } = await deliveryTo("bot", []);
  const error = expect.stringContaining("bot was not found");
  expect(delivery).toMatchObject({ status: "failed", attempts: [{ error }] });
  expect(ping).toMatchObject({ ok: false, message: error });
});

it("an address is called without being resolved, in any notation", async () => {
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0177.0.0.1"]) {
    const { delivery, asked } = await deliveryTo(host, []);
    expect([host, delivery?.status, asked]).toEqual([host, "delivered", []]);
  }
});
