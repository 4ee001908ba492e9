/** Events go on reaching webhooks, whatever has been put in place of the state. */
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { type Receiver, receiver } from "../delivery/support.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";

const START = { clock: "2026-01-01T09:00:00Z" };
const ALL = ["customer", "employee", "client", "transfer"];
const subscribedEvents = ["messages", "transfers"];

/** Lets every kind of event happen; returns what reached the receiver for each, in order. */
async function reached(s: Caller, target: Receiver): Promise<string[]> {
  const from = target.seen.length;
  await s.control("POST /threads/9001/inbound", { text: "customer" });
  await s.control("POST /threads/9001/employee-message", { userId: "501", text: "employee" });
  await s.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "client" });
  await s.control("POST /threads/9001/transfer", { businessId: "1002" });
  await settled(s);
  return target.seen.slice(from).map(({ text }) => {
    const { eventType, data } = JSON.parse(text);
    return eventType === "message" ? data.messageBody : eventType;
  });
}

/** The default fixture with one webhook, on the receiver. */
async function fixturesFor({ url }: Receiver) {
  const { body } = await (await openSandbox(START)).control("GET /state");
  return { ...body, webhooks: [{ ...body.webhooks[0], url, subscribedEvents }] };
}

describe.each([
  ["the sandbox default", startSimulator],
  ["another sandbox", openSandbox],
])("in %s", (_, open) => {
  async function begin() {
    const target = await receiver();
    const s: Caller = await open(START);
    await s.control("PUT /state", await fixturesFor(target));
    return { ...s, reached: () => reached(s, target) };
  }

  it("events reach the same webhooks after a restore, with deliveries and another state in between", async () => {
    const s = await begin();
    await s.control("POST /snapshots", { name: "kept" });
    expect(await s.reached()).toEqual(ALL);
    await s.control("PUT /state", {});
    await s.control("POST /snapshots/kept/restore");
    expect(await s.reached()).toEqual(ALL);
  });

  it("after a restore, events reach a webhook if the snapshot has it enabled", async () => {
    const s = await begin();
    for (const enabled of [false, true]) {
      await s.control("PATCH /data/webhooks/1", { enabled });
      await s.control("POST /snapshots", { name: String(enabled) });
    }
    await s.control("POST /snapshots/false/restore");
    expect(await s.reached()).toEqual([]);
    await s.control("POST /snapshots/true/restore");
    expect(await s.reached()).toEqual(ALL);
  });
});

describe("after a reset", () => {
  it("a webhook from before it gets nothing, a new one gets everything", async () => {
    const [target, later] = [await receiver(), await receiver()];
    const s = await openSandbox({ ...START, fixtures: await fixturesFor(target) });
    const make = () => s.api("POST /api/webhooks/", { url: later.url, subscribedEvents });
    await make();
    await s.control("POST /reset");
    expect(await reached(s, target)).toEqual(ALL);
    expect(later.seen).toEqual([]);
    await s.control("POST /reset");
    await make();
    expect(await reached(s, target)).toEqual(ALL);
    expect(later.seen).toHaveLength(ALL.length);
  });

  it("a delivery in flight to a sink does not arrive", async () => {
    const sim = await startSimulator(START);
    const sandbox = sim.registry.default;
    const received = () => Array.from(sandbox.run.sinks.received("demo"), (call) => call.toJSON());
    const turns = async (count: number) => {
      for (let at = 0; at < count; at += 1) await nextTurn();
    };
    for (let later = 0; later < 12; later += 1) {
      await sim.control("POST /threads/9001/inbound", { text: "lost" });
      await turns(later % 4);
      sandbox.reset();
      await turns(30);
      expect([later, received()]).toEqual([later, []]);
    }
    await sim.control("POST /threads/9001/inbound", { text: "found" });
    await settled(sim);
    expect(received()).toMatchObject([{ body: { data: { messageBody: "found" } } }]);
  });
});
