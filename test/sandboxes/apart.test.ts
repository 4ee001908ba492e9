import { expect, it } from "vitest";
import { THREAD } from "../control/support.js";
import { type Caller, startSimulator } from "../support/simulator.js";

/** The number of the message that a customer sends. */
const say = async ({ control }: Caller, sandbox: string) =>
  Number((await control(`POST /sandboxes/${sandbox}/threads/9001/inbound`, { text: "Hi" })).body.id);

it("ids apart begin at a number derived from the sandbox's id", async () => {
  const [one, two] = [await startSimulator(), await startSimulator({ seed: 7 })];
  const made = await one.control("POST /sandboxes", { id: "bot", ids: "apart" });
  expect(made.body).toMatchObject({ id: "bot" });
  const put = await two.control("PUT /sandboxes/bot", { ids: "apart", clock: "2026-01-01T09:00:00Z" });
  expect(put.status).toBe(201);
  const first = await say(one, "bot");
  expect(await say(two, "bot")).toBe(first);
});

it("ids apart are far from those of every other sandbox, and have at most 15 digits", async () => {
  const sim = await startSimulator();
  const ids: number[] = [];
  for (let at = 0; at < 60; at += 1) {
    await sim.control("POST /sandboxes", { id: `s${at}`, ids: "apart" });
    ids.push(await say(sim, `s${at}`));
  }
  ids.sort((a, b) => a - b);
  const gaps = ids.slice(1).map((id, at) => id - Number(ids[at]));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000_000);
  expect(ids[0]).toBeGreaterThan(1_000_000);
  expect(ids.at(-1)).toBeLessThan(1e15);
});

it("ids apart are given out once only, over states, restores and resets", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "bot", ids: "apart" });
  const openThread = async () =>
    Number((await sim.control("POST /sandboxes/bot/data/threads", THREAD)).body.id);
  const thread = await openThread();
  const ids = [await say(sim, "bot")];
  const { body: state } = await sim.control("GET /state");
  await sim.control("POST /sandboxes/bot/snapshots", { name: "then" });
  ids.push(await say(sim, "bot"));
  await sim.control("POST /sandboxes/bot/snapshots/then/restore");
  ids.push(await say(sim, "bot"));
  await sim.control("PUT /sandboxes/bot/state", state);
  ids.push(await say(sim, "bot"));
  await sim.control("POST /sandboxes/bot/reset", { ids: "same" });
  expect(await say(sim, "bot")).toBeLessThan(1_000_000);
  await sim.control("POST /sandboxes/bot/reset", { fixtures: state });
  ids.push(await say(sim, "bot"));
  expect(await openThread()).toBe(thread + 1);
  expect(ids.map((id) => id - Number(ids[0]))).toEqual([0, 1, 2, 3, 4]);
});

it("ids apart can be requested for one run: a receiver that remembers `webhook-id` meets none twice", async () => {
  const sim = await startSimulator();
  const deliveries = async () => (await sim.control("GET /deliveries")).body as { id: string }[];
  const before = await say(sim, "default");
  const ids: [message: number, delivery: number][] = [];
  for (let at = 0; at < 3; at += 1) {
    await sim.control("POST /reset", { ids: "apart" });
    expect(await deliveries()).toEqual([]);
    const message = await say(sim, "default");
    ids.push([message, Number((await deliveries())[0]?.id.slice(1))]);
    const counted = await sim.control("POST /verify", { deliveries: { eventType: "message" }, count: 1 });
    expect(counted.body).toEqual({ ok: true, count: 1 });
  }
  const [message, delivery] = ids[0]!;
  expect(delivery).toBeGreaterThan(1_000_000);
  expect(ids).toEqual([0, 1, 2].map((at) => [message + at, delivery + at]));
  await sim.control("POST /reset");
  expect(await say(sim, "default")).toBe(before);
  expect((await sim.control("POST /reset", { ids: "aparrt" })).status).toBe(400);
});
