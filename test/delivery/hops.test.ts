import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { receiver } from "./support.js";

const hook = (url: string, more: object = {}) => ({
  organizationId: "200",
  url,
  subscribedEvents: ["messages"],
  ...more,
});

async function simulatorWithHook(url: (base: string) => string, more: object = {}) {
  const sim = await startSimulator();
  for (const { id } of (await sim.control("GET /data/webhooks")).body)
    await sim.control(`DELETE /data/webhooks/${id}`);
  const { body } = await sim.control("POST /data/webhooks", hook(url(sim.url), more));
  return { ...sim, hookId: body.hookId as string, id: body.id as string };
}

describe("a webhook that points back at the simulator", () => {
  it("is reported by its ping, which does not call itself again", async () => {
    const sim = await startSimulator();
    const [{ id, hookId }] = (await sim.control("GET /data/webhooks")).body;
    await sim.control(`PATCH /data/webhooks/${id}`, { url: `${sim.url}/__sim/webhooks/${hookId}/ping` });
    const { status, body } = await sim.control(`POST /webhooks/${hookId}/ping`);
    expect(status).toBe(200);
    expect(body.ok).toBe(false);
    expect(body.message).toContain("answers 409");
    expect(body.message).toContain("a webhook points at the control API");
  });

  it("gets no endless deliveries through a replay", async () => {
    let replay = "";
    const { url } = await receiver(async (response, { headers }) => {
      const hops = { "x-sim-hops": String(headers["x-sim-hops"]) };
      const { status } = await fetch(replay, { method: "POST", headers: hops });
      response.writeHead(status).end();
    });
    const sim = await simulatorWithHook(() => url);
    replay = `${sim.url}/__sim/deliveries/d1/replay`;
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
    const { body } = await sim.control("GET /deliveries");
    expect(body).toHaveLength(6);
    expect(body.slice(0, 5).map((delivery: { status: string }) => delivery.status)).toEqual(
      Array(5).fill("delivered"),
    );
    expect(body[5]).toMatchObject({ status: "blocked", attempts: [] });
    expect(body[5].reason).toContain("5 calls of the simulator led to this one");
  });

  it("gets none through the simulated API either", async () => {
    const { url, seen } = await receiver();
    const sim = await simulatorWithHook(() => url);
    const message = { customerThreadId: "9001", text: "Hello" };
    await sim.api("POST /api/send-message-to-customer-thread", message, { headers: { "X-Sim-Hops": "4" } });
    await sim.api("POST /api/send-message-to-customer-thread", message, { headers: { "x-sim-hops": "5" } });
    await sim.control("POST /wait", { for: "idle" });
    const { body } = await sim.control("GET /deliveries");
    expect(body.map((delivery: { status: string }) => delivery.status)).toEqual(["delivered", "blocked"]);
    expect(seen.map(({ headers }) => headers["x-sim-hops"])).toEqual(["5"]);
  });
});

describe("the header that counts", () => {
  it("is on every delivery, ping and replay, and cannot be set by a webhook", async () => {
    const { url, seen } = await receiver();
    const sim = await simulatorWithHook(() => url, { extraHeaders: [{ name: "X-SIM-HOPS", value: "-7" }] });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
    await sim.control(`POST /webhooks/${sim.hookId}/ping`);
    await sim.control("POST /deliveries/d1/replay");
    await sim.control("POST /wait", { for: "idle" });
    expect(seen.map(({ headers }) => headers["x-sim-hops"])).toEqual(["1", "1", "1"]);
  });
});
