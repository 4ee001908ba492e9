import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import type { Seen } from "./support.js";
import { receiver, start } from "./support.js";

const RAW = new Uint8Array(24).map((_, index) => index * 7 + 1);
const ENCODED = `whsec_${btoa(String.fromCharCode(...RAW))}`;
const TEXT = "an old secret";

/** Checks a signature with Web Crypto, as a receiver would that knows the key. */
async function isSignedWith(key: Uint8Array<ArrayBuffer>, { headers, text }: Seen): Promise<boolean> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  const signed = new TextEncoder().encode(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`);
  const candidates = String(headers["webhook-signature"])
    .split(" ")
    .map((part) => part.split(","))
    .filter(([version]) => version === "v1")
    .map(([, value]) => Uint8Array.from(atob(value!), (character) => character.charCodeAt(0)));
  const verified = candidates.map((candidate) => crypto.subtle.verify("HMAC", imported, candidate, signed));
  return (await Promise.all(verified)).includes(true);
}

const ageOf = ({ headers }: Seen) => Date.now() / 1000 - Number(headers["webhook-timestamp"]);

const behaviour = {
  "delivery.signature": { scheme: "standard-webhooks" as const, secrets: [ENCODED, TEXT] },
  "delivery.attempts": 2,
};

async function signedDelivery(faults: FaultInput["then"][] = []) {
  let calls = 0;
  const target = await receiver((response) => response.writeHead(++calls === 1 ? 500 : 200).end());
  const rules = faults.map((then) => ({ on: "delivery", times: 1, then }) as const);
  const harness = start({ webhooks: [{ url: target.url }], behaviour, faults: rules });
  harness.send(1);
  await harness.settled();
  return { ...target, ...harness };
}

describe("a signed delivery", () => {
  it("keeps its id over retries, and each is signed", async () => {
    const { seen, sandbox } = await signedDelivery();
    await sandbox.run.clock.advance(60_000);
    expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual(["d1", "d1"]);
    expect(await isSignedWith(RAW, seen[1]!)).toBe(true);
  });

  it.each<[FaultInput["then"], seconds: number]>([
    ["stale-signature", 600],
    [{ signature: "ahead" }, -600],
    [{ skewMs: 200_000 }, -200],
    [{ skewMs: -200_000 }, 200],
    [{ skewMs: 3_600_000 }, -3_600],
  ])("with %j is signed for a time %i s ago", async (then, seconds) => {
    const { seen } = await signedDelivery([then]);
    expect(await isSignedWith(RAW, seen[0]!)).toBe(true);
    expect(Math.abs(ageOf(seen[0]!) - seconds)).toBeLessThan(5);
  });

  it("differs by one character from a right signature with `altered`", async () => {
    const { seen } = await signedDelivery([{ signature: "altered" }]);
    const { headers, text } = seen[0]!;
    expect(await isSignedWith(RAW, seen[0]!)).toBe(false);
    const [version, altered] = String(headers["webhook-signature"]).split(" ")[0]!.split(",");
    const right = createHmac("sha256", RAW)
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`)
      .digest("base64");
    const differing = [...right].filter((character, at) => character !== altered?.[at]);
    expect([version, altered?.length, differing.length]).toEqual(["v1", right.length, 1]);
  });

  it("is signed as compact JSON and sent with white space with `re-encoded`", async () => {
    const { seen, log } = await signedDelivery([{ signature: "re-encoded" }]);
    const { text } = seen[0]!;
    const compact = JSON.stringify(log()[0]!.body);
    expect(JSON.parse(text)).toEqual(log()[0]!.body);
    expect(text).toMatch(/^\{\n {2}"eventType".*\}\n$/s);
    expect(await isSignedWith(RAW, seen[0]!)).toBe(false);
    expect(await isSignedWith(RAW, { ...seen[0]!, text: compact })).toBe(true);
  });

  it("can be malformed in another encoding too", async () => {
    const { seen } = await signedDelivery([{ signature: "re-encoded", malformed: true }]);
    expect(() => JSON.parse(seen[0]!.text)).toThrow(SyntaxError);
    expect(seen[0]!.text).toMatch(/\n$/);
  });

  it("is signed over the payload that a fault changed", async () => {
    const { seen, log } = await signedDelivery([{ payload: { undocumented: { a: 1 }, timestamp: null } }]);
    const { timestamp: _, ...rest } = log()[0]!.body;
    expect(JSON.parse(seen[0]!.text)).toEqual({ ...rest, undocumented: { a: 1 } });
    expect(await isSignedWith(RAW, seen[0]!)).toBe(true);
  });

  it("has a copy with its own id and signature, right or wrong", async () => {
    for (const [copy, isRight] of [
      [{ payload: { eventType: "survey" } }, true],
      [{ signature: "bad" }, false],
    ] as const) {
      const { seen } = await signedDelivery([{ copy }]);
      expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual(["d1-copy", "d1"]);
      expect(await Promise.all(seen.map((each) => isSignedWith(RAW, each)))).toEqual([isRight, true]);
    }
  });

  it("is signed anew when it is replayed", async () => {
    const { seen, sandbox, service, settled, log } = await signedDelivery();
    await sandbox.run.clock.advance(60_000);
    const again = service.replay(sandbox.run, log()[0]!, { id: "c9" });
    await settled();
    expect(again).toMatchObject({ id: "d2", causedBy: "c9", status: "delivered" });
    expect(again.attempts).toHaveLength(1);
    expect(seen[2]?.text).toBe(seen[0]?.text);
    expect(seen[2]?.headers["webhook-id"]).toBe("d2");
    expect(await isSignedWith(RAW, seen[2]!)).toBe(true);
  });

  it("loses its signature if it is replayed without signing, its webhook deleted", async () => {
    const { seen, sandbox, service, settled, log } = await signedDelivery();
    await sandbox.run.clock.advance(60_000);
    const signed = seen.length;
    sandbox.run.world.remove("webhooks", "1");
    sandbox.run.patchBehaviour({ "delivery.signature": null }, null);
    service.replay(sandbox.run, log()[0]!, { id: "c9" });
    await settled();
    expect(seen).toHaveLength(signed + 1);
    expect(Object.keys(seen[signed]!.headers).filter((name) => name.startsWith("webhook-"))).toEqual([]);
  });
});

describe("where nothing is signed", () => {
  it.each([{ signature: "re-encoded" }, { signature: "altered" }, { skewMs: 60_000 }] as const)(
    "%o changes nothing",
    async (then) => {
      const { url, seen } = await receiver();
      const faults = [{ on: "delivery", times: 1, then }] as const;
      const { send, settled } = start({ webhooks: [{ url }], faults });
      send(1, 1);
      await settled();
      const [first, second] = seen.map(({ text, headers }) => [
        text.replace(/"timestamp":\d+/, ""),
        Object.keys(headers).filter((name) => name.startsWith("webhook-")),
      ]);
      expect(first).toEqual(second);
    },
  );
});

describe("a replay", () => {
  it("goes to the webhook's current address with its current headers", async () => {
    const [old, moved] = [await receiver(), await receiver()];
    const { send, settled, sandbox, service, log } = start({ webhooks: [{ url: old.url }] });
    send(1);
    await settled();
    const webhook = sandbox.run.world.get("webhooks", "1")!;
    sandbox.run.world.put("webhooks", {
      ...webhook,
      url: moved.url,
      extraHeaders: [{ name: "x-new", value: "1" }],
    });
    service.replay(sandbox.run, log()[0]!, { id: "c2" });
    await settled();
    expect(log().map(({ id, url, status }) => [id, url, status])).toEqual([
      ["d1", old.url, "delivered"],
      ["d2", moved.url, "delivered"],
    ]);
    expect(moved.seen[0]?.headers["x-new"]).toBe("1");
  });

  it("is sent even if the webhook is disabled", async () => {
    const { url, seen } = await receiver();
    const { send, settled, sandbox, service, log } = start({ webhooks: [{ url }] });
    send(1);
    await settled();
    const { world } = sandbox.run;
    world.put("webhooks", { ...world.get("webhooks", "1")!, enabled: false });
    service.replay(sandbox.run, log()[0]!, { id: "c2" });
    await settled();
    expect([seen.length, log()[1]?.status]).toEqual([2, "delivered"]);
  });
});
