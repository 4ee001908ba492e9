/** Rarer cases of opening a bundle in another process. */
import { expect, it, vi } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bundleOf, makeTraffic, opened, read } from "./bundle.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

it("opens without changes of threads, as written by earlier versions", async () => {
  const sim = await startSimulator();
  await makeTraffic(sim);
  const bundle = await bundleOf(sim);
  const { changes, ...journal } = bundle.journal;
  const other = await opened({ ...bundle, journal });
  expect(changes).not.toEqual([]);
  expect((await other.control("GET /changes")).body).toEqual([]);
  expect(await read(other)).toEqual({ ...(await read(sim)), changes: [] });
});

it("keeps the id, tokens and ids of a sandbox, but not its expiry", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "case", ids: "apart", ttlMs: 3_600_000 });
  await makeTraffic(sim, "/sandboxes/case", "case.acme-token");
  const before = await read(sim, "/sandboxes/case");
  const other = await opened(await bundleOf(sim, "case"));
  expect(await read(other, "/sandboxes/case")).toEqual(before);
  expect(other.registry.get("case")?.expiresAt).toBeUndefined();
  const found = await other.control("GET /sandboxes/case/requests?token=acme-token");
  expect(found.body.length).toBe(4);
  const [own, its] = await Promise.all(
    [sim, other].map(({ control }) => control("POST /sandboxes/case/threads/9001/inbound", { text: "More" })),
  );
  expect(its?.body.id).toBe(own?.body.id);
  expect((await other.control("GET /requests")).body).toEqual([]);
});

it("can be used as a fixture", async () => {
  const sim = await startSimulator();
  await makeTraffic(sim);
  const bundle = await bundleOf(sim);
  const { control } = await startSimulator({ fixtures: bundle });
  expect((await control("GET /data/messages")).body).toEqual((await sim.control("GET /data/messages")).body);
  expect((await control("GET /requests")).body).toEqual([]);
});

it("keeps a long journal, whatever the journal limit", async () => {
  const sim = await startSimulator();
  const calls = 150;
  for (let done = 0; done < calls; done += 1) await sim.api(DETAILS);
  const other = await opened(await bundleOf(sim), { journalLimit: 10 });
  const journal = (await other.control("GET /requests")).body;
  expect(journal).toEqual((await sim.control("GET /requests")).body);
  expect([journal.length, journal[0].id]).toEqual([calls, "r1"]);
  const verified = await other.control("POST /verify", { requests: { method: "GET" }, count: calls });
  expect(verified.body).toEqual({ ok: true, count: calls });
});

it("keeps the newest entries of a log whose oldest were evicted", async () => {
  const sim = await startSimulator({ journalLimit: 3 });
  for (let call = 0; call < 5; call += 1) await sim.api(DETAILS);
  const other = await opened(await bundleOf(sim));
  const { body } = await other.control("GET /requests");
  expect(body.map(({ id }: { id: string }) => id)).toEqual(["r3", "r4", "r5"]);
  const verified = await other.control("POST /verify", { requests: { method: "GET" }, count: 5 });
  expect([verified.status, verified.body.evicted]).toEqual([422, 2]);
});

it("is consistent while calls are in flight", async () => {
  const sim = await startSimulator();
  await sim.control("POST /faults", { on: "request", times: 1, then: { delayMs: 60_000 } });
  const hanging = sim.api(DETAILS).catch(() => {});
  await vi.waitUntil(() => sim.registry.default.run.logs.journal.size === 1);
  const bundle = await bundleOf(sim);
  expect(bundle.journal.requests).toMatchObject([{ status: null, durationMs: null }]);
  const other = await opened(bundle);
  expect((await other.control("GET /requests")).body).toEqual(bundle.journal.requests);
  expect((await other.control("POST /wait", { for: "idle" })).status).toBe(200);
  await sim.close();
  await hanging;
});
