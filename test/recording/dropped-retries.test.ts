import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { outsideReceiver, recordOf, replay, trafficOf } from "./recorder.js";

const START = { behaviour: "realistic", clock: "2026-01-01T09:00:00Z" };

it.each([
  [
    "a fault",
    {
      call: "POST /faults",
      body: { on: "delivery", match: { webhookId: "crm" }, times: 1, then: { drop: "before" } },
    },
  ],
  ["its webhook, disabled meanwhile", { call: "PATCH /data/webhooks/1", body: { enabled: false } }],
])("a delivery whose retry is dropped by %s replays as it was", async (_, { call, body }) => {
  const sim = await startSimulator({ set: {} });
  const receiver = await outsideReceiver((count) => (count === 1 ? 500 : 200));
  await sim.control("POST /sandboxes", { id: "s", ...START });
  const idle = () => sim.control("POST /sandboxes/s/wait", { for: "idle" });
  const act = async (line: string, given?: object) => {
    const [method, path] = line.split(" ");
    expect((await sim.control(`${method} /sandboxes/s${path}`, given)).status).toBeLessThan(300);
    await idle();
  };
  await act("PATCH /data/webhooks/1", { url: receiver.url });
  await act("POST /threads/9001/inbound", { text: "Hello" });
  await act(call, body);
  await act("POST /threads/9001/employee-message", { userId: "501", text: "Hi" });
  await act("POST /clock/advance", { by: "25h" });
  const { body: deliveries } = await sim.control("GET /sandboxes/s/deliveries");
  expect(deliveries[0]).toMatchObject({ status: "dropped", attempts: [{ status: 500 }] });
  const text = await recordOf(sim, "s");
  const look = (id: string) => trafficOf(sim, id, true);
  const before = await look("s");
  const { report, seen } = await replay(sim, text, look);
  expect(
    report.steps.filter(({ ok }) => !ok),
    text,
  ).toEqual([]);
  expect(seen, text).toEqual(before);
});

it("a delivery that waits behind another, and is dropped with its webhook, replays as it was", async () => {
  const sim = await startSimulator({ set: {} });
  const receiver = await outsideReceiver((count) => (count === 1 ? 500 : 200));
  await sim.control("POST /sandboxes", { id: "s", ...START });
  const act = async (line: string, given?: object) => {
    const [method, path] = line.split(" ");
    expect((await sim.control(`${method} /sandboxes/s${path}`, given)).status).toBeLessThan(300);
    await sim.control("POST /sandboxes/s/wait", { for: "idle" });
  };
  await act("PATCH /data/webhooks/1", { url: receiver.url });
  await act("POST /threads/9001/inbound", { text: "Hello" });
  await act("POST /threads/9001/inbound", { text: "Are you there?" });
  await act("DELETE /data/webhooks/1");
  await act("POST /clock/advance", { by: "25h" });
  const { body: deliveries } = await sim.control("GET /sandboxes/s/deliveries");
  expect(deliveries).toMatchObject([
    { status: "dropped", attempts: [{ status: 500 }] },
    { status: "dropped", attempts: [] },
  ]);
  const look = (id: string) => trafficOf(sim, id, true);
  const before = await look("s");
  const text = await recordOf(sim, "s");
  const { report, seen } = await replay(sim, text, look);
  expect(
    report.steps.filter(({ ok }) => !ok),
    text,
  ).toEqual([]);
  expect(seen, text).toEqual(before);
});
