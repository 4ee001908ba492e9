/** Events go on reaching webhooks, whatever has been put in place of the state. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Receiver } from "../delivery/support.js";
import { receiver } from "../delivery/support.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";

const CLOCK = "2026-01-01T09:00:00Z";
const SANDBOX = "/sandboxes/s";

let sim: Running;
let target: Receiver;

/** The server's fixture with one webhook, on the receiver. */
let fixtures: Record<string, unknown>;

/** Lets every kind of event happen, and answers what reached the receiver for each, in order. */
async function reached(path: string, token: string): Promise<string[]> {
  const from = target.seen.length;
  await sim.control(`POST ${path}/threads/9001/inbound`, { text: "customer" });
  await sim.control(`POST ${path}/threads/9001/employee-message`, { userId: "501", text: "employee" });
  const body = { customerThreadId: "9001", text: "client" };
  await sim.api("POST /api/send-message-to-customer-thread", body, { token });
  await sim.control(`POST ${path}/threads/9001/transfer`, { businessId: "1002" });
  await settled(sim, path);
  return target.seen.slice(from).map(({ text }) => {
    const { eventType, data } = JSON.parse(text);
    return eventType === "message" ? data.messageBody : eventType;
  });
}

const ALL = ["customer", "employee", "client", "transfer"];

beforeEach(async () => {
  target = await receiver();
  sim = await startSimulator({ clock: CLOCK });
  const { body } = await sim.control("GET /state");
  const webhook = { ...body.webhooks[0], url: target.url, subscribedEvents: ["messages", "transfers"] };
  fixtures = { ...body, webhooks: [webhook] };
});

describe.each([
  ["default", "", "acme-token"],
  ["another sandbox", SANDBOX, "s.acme-token"],
])("in %s", (_, path, token) => {
  beforeEach(async () => {
    await sim.control("POST /sandboxes", { id: "s", fixtures: fixtures });
    await sim.control(`PUT ${path}/state`, fixtures);
  });

  it("events reach the same webhooks after a restore, with deliveries and another state in between", async () => {
    await sim.control(`POST ${path}/snapshots`, { name: "kept" });
    expect(await reached(path, token)).toEqual(ALL);
    await sim.control(`PUT ${path}/state`, {});
    await sim.control(`POST ${path}/snapshots/kept/restore`);
    expect(await reached(path, token)).toEqual(ALL);
  });

  it("after a restore, events reach a webhook if the snapshot has it enabled", async () => {
    await sim.control(`PATCH ${path}/data/webhooks/1`, { enabled: false });
    await sim.control(`POST ${path}/snapshots`, { name: "off" });
    await sim.control(`PATCH ${path}/data/webhooks/1`, { enabled: true });
    await sim.control(`POST ${path}/snapshots`, { name: "on" });
    await sim.control(`POST ${path}/snapshots/off/restore`);
    expect(await reached(path, token)).toEqual([]);
    await sim.control(`POST ${path}/snapshots/on/restore`);
    expect(await reached(path, token)).toEqual(ALL);
  });
});

describe("after a reset", () => {
  beforeEach(async () => {
    await sim.control("POST /sandboxes", { id: "s", fixtures: fixtures });
  });

  it("a webhook from before it gets nothing, a new one gets everything", async () => {
    const later = await receiver();
    const hook = { url: later.url, subscribedEvents: ["messages", "transfers"] };
    const make = () => sim.api("POST /api/webhooks/", hook, { token: "s.acme-token" });
    await make();
    await sim.control(`POST ${SANDBOX}/reset`);
    expect(await reached(SANDBOX, "s.acme-token")).toEqual(ALL);
    expect(later.seen).toEqual([]);
    await sim.control(`POST ${SANDBOX}/reset`);
    await make();
    expect(await reached(SANDBOX, "s.acme-token")).toEqual(ALL);
    expect(later.seen).toHaveLength(ALL.length);
  });

  it("a delivery in flight to a sink does not arrive", async () => {
    const { webhooks: _, ...rest } = fixtures;
    const webhook = { id: "1", organizationId: "200", url: "sink:mine", subscribedEvents: ["messages"] };
    await sim.control("POST /sandboxes", { id: "k", fixtures: { ...rest, webhooks: [webhook] } });
    const sandbox = sim.registry.get("k")!;
    const turns = async (count: number) => {
      for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let later = 0; later < 12; later += 1) {
      await sim.control("POST /sandboxes/k/threads/9001/inbound", { text: "lost" });
      await turns(later % 4);
      sandbox.reset();
      await turns(30);
      expect([later, [...sandbox.run.sinks.received("mine")]]).toEqual([later, []]);
    }
    await sim.control("POST /sandboxes/k/threads/9001/inbound", { text: "found" });
    await settled(sim, "/sandboxes/k");
    expect(Array.from(sandbox.run.sinks.received("mine"), (call) => call.toJSON())).toMatchObject([
      { body: { data: { messageBody: "found" } } },
    ]);
  });
});
