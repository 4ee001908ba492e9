import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import { answering, receiver, type Seen, startWithReceiver } from "./support.js";

const RAW = new Uint8Array(24).map((_, index) => index * 7 + 1);
const ENCODED = `whsec_${btoa(String.fromCharCode(...RAW))}`;
const TEXT = "an old secret";

/** The signature that a receiver which knows the key expects. */
const rightFor = ({ headers, text }: Seen) =>
  createHmac("sha256", RAW)
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`)
    .digest("base64");
const isSigned = (seen: Seen) =>
  String(seen.headers["webhook-signature"])
    .split(" ")
    .includes(`v1,${rightFor(seen)}`);

const behaviour = {
  "delivery.signature": { scheme: "standard-webhooks" as const, secrets: [ENCODED, TEXT] },
  "delivery.attempts": 2,
};

/** A signed delivery whose first attempt fails, under a fault. */
async function signedDelivery(then?: FaultInput["then"]) {
  const fault = then && { fault: { times: 1, then } };
  const harness = await startWithReceiver({ respond: answering(500, 200), behaviour, ...fault });
  await harness.deliver(1);
  return { ...harness, first: harness.seen[0]! };
}

describe("a signed delivery", () => {
  it("keeps its id over retries, and each is signed", async () => {
    const { seen, sandbox } = await signedDelivery();
    await sandbox.run.clock.advance(60_000);
    expect(seen.map((each) => [each.headers["webhook-id"], isSigned(each)])).toEqual([
      ["d1", true],
      ["d1", true],
    ]);
  });

  it("is signed for a time ten minutes ago with `stale-signature`", async () => {
    const { first } = await signedDelivery("stale-signature");
    expect(isSigned(first)).toBe(true);
    const age = Date.now() / 1000 - Number(first.headers["webhook-timestamp"]);
    expect(Math.abs(age - 600)).toBeLessThan(5);
  });

  it("is signed over the payload that a fault changed", async () => {
    const { first, log } = await signedDelivery({ payload: { undocumented: { a: 1 }, timestamp: null } });
    const { timestamp: _, ...rest } = log()[0]!.body;
    expect(JSON.parse(first.text)).toEqual({ ...rest, undocumented: { a: 1 } });
    expect(isSigned(first)).toBe(true);
  });

  it.each<[FaultInput["then"], id: string, isRight: boolean]>([
    [{ copy: true }, "d1", true],
    [{ copy: true, payload: { eventType: "survey" } }, "d1-copy", true],
    [{ copy: true, signature: "bad" }, "d1-copy", false],
  ])("with %j has a copy with the id %s, and a signature that is right: %s", async (then, id, isRight) => {
    const { seen } = await signedDelivery(then);
    expect(seen.map((each) => [each.headers["webhook-id"], isSigned(each)])).toEqual([
      [id, isRight],
      ["d1", true],
    ]);
  });

  it("is signed anew when it is replayed", async () => {
    const { seen, sandbox, service, settled, log, first } = await signedDelivery();
    await sandbox.run.clock.advance(60_000);
    const again = service.replay(sandbox.run, sandbox.run.world.get("webhooks", "1")!, log()[0]!, {
      id: "c9",
    });
    await settled();
    expect(again).toMatchObject({ id: "d2", causedBy: "c9", status: "delivered", attempts: [{}] });
    expect(seen[2]).toMatchObject({ text: first.text, headers: { "webhook-id": "d2" } });
    expect(isSigned(seen[2]!)).toBe(true);
  });
});

it("a replay goes to the webhook's current address with its current headers, even if it is disabled", async () => {
  const moved = await receiver();
  const { deliver, settled, sandbox, service, log, url, change } = await startWithReceiver();
  await deliver(1);
  change({ url: moved.url, extraHeaders: [{ name: "x-new", value: "1" }], enabled: false });
  service.replay(sandbox.run, sandbox.run.world.get("webhooks", "1")!, log()[0]!, { id: "c2" });
  await settled();
  expect(log().map(({ id, url, status }) => [id, url, status])).toEqual([
    ["d1", url, "delivered"],
    ["d2", moved.url, "delivered"],
  ]);
  expect(moved.seen[0]?.headers["x-new"]).toBe("1");
});
