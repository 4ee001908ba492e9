import { expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";
import { receiver, upTo } from "./support.js";

it("a sandbox whose 1,200 calls hang does not hold up the delivery of another", async () => {
  const hanging = await receiver(() => {});
  const fine = await receiver();
  const behaviour = { "delivery.order": "none", "delivery.timeoutMs": 600_000 } as const;
  const stuck = await openSandbox({ behaviour });
  const hook = { organizationId: "200", url: hanging.url, subscribedEvents: ["messages"] };
  await stuck.control("PATCH /data/webhooks/1", { url: hanging.url });
  for (const _ of upTo(19)) await stuck.control("POST /data/webhooks", hook);
  for (const _ of upTo(60)) await stuck.control("POST /threads/9001/inbound", { text: "Hello" });
  await hanging.received(1_000);
  const other = await openSandbox();
  await other.control("PATCH /data/webhooks/1", { url: fine.url });
  await other.control("POST /threads/9001/inbound", { text: "Hello" });
  const wait = { for: { deliveries: { status: "delivered" } }, timeoutMs: 60_000 };
  expect((await other.control("POST /wait", wait)).status).toBe(200);
  expect(hanging.seen).toHaveLength(1_000);
});
