import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { receiver, upTo } from "./support.js";

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
