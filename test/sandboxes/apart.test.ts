import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

const said = (sim: Awaited<ReturnType<typeof startSimulator>>, id: string) => async () =>
  Number((await sim.control(`POST /sandboxes/${id}/threads/9001/inbound`, { text: "Hi" })).body.id);

const THREAD = { businessId: "1001", customerId: "cust_001", channel: "SMS", status: "waiting" };

describe('ids: "apart"', () => {
  it("begin at a number derived from the sandbox's id, and continue over resets", async () => {
    const [one, two] = [await startSimulator(), await startSimulator({ seed: 7 })];
    const made = await one.control("POST /sandboxes", { id: "bot", ids: "apart" });
    expect(made.body).toMatchObject({ id: "bot", ids: "apart" });
    const put = await two.control("PUT /sandboxes/bot", { ids: "apart", clock: "2026-01-01T09:00:00Z" });
    expect([put.status, put.body.ids]).toEqual([201, "apart"]);
    const first = await said(one, "bot")();
    expect(await said(two, "bot")()).toBe(first);
    await one.control("POST /sandboxes/bot/reset");
    expect(await said(one, "bot")()).toBe(first + 1);
    const thread = { ...THREAD, isMessagingWindowOpen: true };
    const opened = async () =>
      Number((await one.control("POST /sandboxes/bot/data/threads", thread)).body.id);
    const firstThread = await opened();
    await one.control("POST /sandboxes/bot/reset", { fixtures: (await one.control("GET /state")).body });
    expect([await opened(), await said(one, "bot")()]).toEqual([firstThread + 1, first + 2]);
  });

  it("are far from those of every other sandbox, and have at most 15 digits", async () => {
    const sim = await startSimulator();
    const ids: number[] = [];
    for (let at = 0; at < 60; at += 1) {
      await sim.control("POST /sandboxes", { id: `s${at}`, ids: "apart" });
      ids.push(await said(sim, `s${at}`)());
    }
    ids.sort((a, b) => a - b);
    const gaps = ids.slice(1).map((id, at) => id - Number(ids[at]));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000_000);
    expect(ids[0]).toBeGreaterThan(1_000_000);
    expect(ids.at(-1)).toBeLessThan(1e15);
  });

  it("are given out once only, over states, restores and resets", async () => {
    const sim = await startSimulator();
    await sim.control("POST /sandboxes", { id: "bot", ids: "apart" });
    const say = said(sim, "bot");
    const ids = [await say()];
    const { body: state } = await sim.control("GET /state");
    await sim.control("POST /sandboxes/bot/snapshots", { name: "then" });
    ids.push(await say());
    await sim.control("POST /sandboxes/bot/snapshots/then/restore");
    ids.push(await say());
    await sim.control("PUT /sandboxes/bot/state", state);
    ids.push(await say());
    await sim.control("POST /sandboxes/bot/reset", { ids: "same" });
    const same = await say();
    await sim.control("POST /sandboxes/bot/reset");
    ids.push(await say());
    expect(ids.map((id) => id - Number(ids[0]))).toEqual([0, 1, 2, 3, 4]);
    expect(same).toBeLessThan(1_000_000);
  });

  it("are those of deliveries too: a receiver that remembers `webhook-id` meets none twice", async () => {
    const sim = await startSimulator();
    const deliveries = async () => (await sim.control("GET /deliveries")).body as { id: string }[];
    const ids: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await sim.control("POST /reset", { ids: "apart" });
      expect(await deliveries()).toEqual([]);
      await said(sim, "default")();
      const [first] = await deliveries();
      ids.push(Number(first?.id.slice(1)));
      const counted = await sim.control("POST /verify", { deliveries: { eventType: "message" }, count: 1 });
      expect(counted.body).toEqual({ ok: true, count: 1 });
    }
    expect(ids[0]).toBeGreaterThan(1_000_000);
    expect(ids.map((id) => id - Number(ids[0]))).toEqual([0, 1, 2]);
  });

  it("can be requested for one run by a reset", async () => {
    const sim = await startSimulator();
    const before = await said(sim, "default")();
    await sim.control("POST /reset", { ids: "apart" });
    const apart = await said(sim, "default")();
    await sim.control("POST /reset", { ids: "apart" });
    expect(await said(sim, "default")()).toBe(apart + 1);
    await sim.control("POST /reset");
    expect(await said(sim, "default")()).toBe(before);
    expect((await sim.control("POST /reset", { ids: "aparrt" })).status).toBe(400);
  });
});
