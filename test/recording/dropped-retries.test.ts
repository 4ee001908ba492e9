import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { expectReplays, outsideReceiver } from "./recorder.js";

const inbound = (text: string) => ["POST /threads/9001/inbound", { text }] as const;
const HI = ["POST /threads/9001/employee-message", { userId: "501", text: "Hi" }] as const;
const FAULT = { on: "delivery", match: { webhookId: "crm" }, times: 1, then: { drop: "before" } };

it.each([
  ["by a fault", [["POST /faults", FAULT], HI], [{ status: "delivered" }]],
  ["with its webhook, disabled meanwhile", [["PATCH /data/webhooks/1", { enabled: false }], HI], []],
  [
    "with its webhook, and one that waits behind it",
    [inbound("There?"), ["DELETE /data/webhooks/1"]],
    [{ status: "dropped", attempts: [] }],
  ],
] as const)("a delivery whose retry is dropped %s replays as it was", async (_, acts, others) => {
  const sim = await startSimulator({ set: {} });
  const receiver = await outsideReceiver((count) => (count === 1 ? 500 : 200));
  await sim.control("POST /sandboxes", { id: "s", behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
  const connect = ["PATCH /data/webhooks/1", { url: receiver.url }] as const;
  const advance = ["POST /clock/advance", { by: "25h" }] as const;
  for (const [call, body] of [connect, inbound("Hello"), ...acts, advance]) {
    expect((await sim.control(call.replace(" ", " /sandboxes/s"), body)).status).toBeLessThan(300);
    await sim.control("POST /sandboxes/s/wait", { for: "idle" });
  }
  const { body: deliveries } = await sim.control("GET /sandboxes/s/deliveries");
  expect(deliveries).toMatchObject([{ status: "dropped", attempts: [{ status: 500 }] }, ...others]);
  await expectReplays(sim, "s", true);
});
