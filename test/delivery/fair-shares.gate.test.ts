import { describe, expect, it } from "vitest";
import { FairShares } from "../../src/delivery/fair-shares.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import { startSimulator } from "../support/simulator.js";
import { receiver, upTo } from "./support.js";

const never = new AbortController().signal;

/** Takes so many slots, and tells how many are there. */
function taking(shares: FairShares, holder: string, count: number, signal = never) {
  const state = { got: 0, failed: 0 };
  for (const _ of upTo(count))
    shares.take(holder, signal).then(
      () => void (state.got += 1),
      () => void (state.failed += 1),
    );
  return state;
}

describe("slots that are shared", () => {
  it("leave one for who has none, however many others want", async () => {
    const shares = new FairShares(100);
    const a = taking(shares, "a", 1_000);
    const b = taking(shares, "b", 1_000);
    await nextTurn();
    expect([a.got, b.got]).toEqual([50, 25]);
    const others = upTo(10).map((index) => taking(shares, `other ${index}`, 1));
    await nextTurn();
    expect(others.map(({ got }) => got)).toEqual(Array(10).fill(1));
  });

  it("go to who may have one more when one is given back", async () => {
    const shares = new FairShares(10);
    const a = taking(shares, "a", 20);
    const b = taking(shares, "b", 20);
    await nextTurn();
    expect([a.got, b.got]).toEqual([5, 3]);
    shares.giveBack("b");
    await nextTurn();
    expect([a.got, b.got]).toEqual([5, 4]);
  });

  it("all come back: nobody waits for ever", async () => {
    const shares = new FairShares(3);
    const done = new Map<string, number>();
    const work = async (holder: string) => {
      await shares.take(holder, never);
      await nextTurn();
      done.set(holder, (done.get(holder) ?? 0) + 1);
      shares.giveBack(holder);
    };
    await Promise.all(upTo(300).map((index) => work("abc"[index % 3]!)));
    expect([...done.values()]).toEqual([100, 100, 100]);
  });

  it("are no longer waited for when the signal is aborted", async () => {
    const shares = new FairShares(2);
    const ends = new AbortController();
    const a = taking(shares, "a", 5, ends.signal);
    await nextTurn();
    ends.abort();
    await nextTurn();
    expect(a).toEqual({ got: 1, failed: 4 });
    shares.giveBack("a");
    await expect(shares.take("b", never)).resolves.toBeUndefined();
  });
});

describe("a sandbox whose 1,200 calls hang", () => {
  it("does not hold up the delivery of another", async () => {
    const hanging = await receiver(() => {});
    const fine = await receiver();
    const sim = await startSimulator();
    const hook = (url: string) => ({ organizationId: "200", url, subscribedEvents: ["messages"] });
    await sim.control("POST /sandboxes", { id: "s1" });
    for (const { id } of (await sim.control("GET /sandboxes/s1/data/webhooks")).body)
      await sim.control(`DELETE /sandboxes/s1/data/webhooks/${id}`);
    await sim.control("PATCH /sandboxes/s1/behaviour", {
      "delivery.order": "none",
      "delivery.timeoutMs": 600_000,
    });
    for (const _ of upTo(20)) await sim.control("POST /sandboxes/s1/data/webhooks", hook(hanging.url));
    for (const _ of upTo(60)) await sim.control("POST /sandboxes/s1/threads/9001/inbound", { text: "Hello" });
    await hanging.received(1_000);
    for (const { id } of (await sim.control("GET /data/webhooks")).body)
      await sim.control(`DELETE /data/webhooks/${id}`);
    await sim.control("POST /data/webhooks", hook(fine.url));
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    const { status } = await sim.control("POST /wait", {
      for: { deliveries: { status: "delivered" } },
      timeoutMs: 5_000,
    });
    expect(status).toBe(200);
    expect(hanging.seen).toHaveLength(1_000);
  });
});
