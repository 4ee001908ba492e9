/** A bundle shows all of a sandbox: another process opens it as it was taken. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { filesFor } from "../support/folder.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const file = filesFor("bundle");

const bundleOf = async (sim: Running, id?: string) =>
  (await sim.control(id === undefined ? "GET /bundle" : `GET /sandboxes/${id}/bundle`)).body;

const opened = (bundle: unknown, options = {}) =>
  startSimulator({ ...options, bundle: file("case.json", JSON.stringify(bundle)) });

const READ = [
  "scenarios/last",
  "state",
  "start",
  "requests",
  "deliveries",
  "warnings",
  "controls",
  "changes",
  "behaviour",
  "faults",
  "snapshots",
];

async function read(sim: Running, base = "") {
  const answers: Record<string, unknown> = {};
  for (const route of READ) answers[route] = (await sim.control(`GET ${base}/${route}`)).body;
  return answers;
}

/** Every kind of thing that a sandbox holds. */
async function makeTraffic({ api, control }: Running, base = "", token = "acme-token") {
  const as = { token };
  await control(`POST ${base}/snapshots`, { name: "before" });
  await control(`POST ${base}/scenarios/run`, {
    scenario: {
      name: "Nobody answers",
      thread: "9001",
      steps: [{ silent: "1ms" }, { reply: {}, within: "1ms" }],
    },
  });
  await control(`POST ${base}/threads/9001/inbound`, { text: "Hello" });
  await control(`POST ${base}/wait`, { for: "idle" });
  await control(`POST ${base}/faults`, {
    on: "request",
    match: { method: "GET" },
    after: 1,
    then: "unavailable",
  });
  await api("GET /api/get-customer-thread-details?customerThreadId=9001", undefined, as);
  await api("GET /api/get-customer-thread-details?customerThreadId=9001&x=1%202", undefined, as);
  await api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Good day" }, as);
  await api("POST /api/send-message-to-customer-thread", "no JSON", as);
  await api("GET /api/nowhere", undefined, { token: null });
  await control(`PATCH ${base}/behaviour`, { "window.duration": "24h" });
  await control(`PUT ${base}/clock`, { now: Date.parse("2027-03-04T05:06:07Z") });
  await control(`POST ${base}/threads/9002/transfer`, { businessId: "1002" });
  await control(`POST ${base}/wait`, { for: "idle" });
}

it("opens also where the changes of threads are missing, as in a file of an earlier version", async () => {
  const sim = await startSimulator();
  await makeTraffic(sim);
  const bundle = await bundleOf(sim);
  const { changes, ...journal } = bundle.journal;
  const other = await opened({ ...bundle, journal });
  expect(changes).not.toEqual([]);
  expect((await other.control("GET /changes")).body).toEqual([]);
  expect(await read(other)).toEqual({ ...(await read(sim)), changes: [] });
});

it("opens with state, settings and the past as they were, and ids that go on", async () => {
  const sim = await startSimulator({ seed: 7 });
  await makeTraffic(sim);
  const before = await read(sim);
  const bundle = await bundleOf(sim);
  const other = await opened(bundle);
  expect(await read(other)).toEqual(before);
  expect((before.requests as unknown[]).length).toBe(5);
  expect((before.warnings as unknown[]).length).toBeGreaterThan(0);
  expect(before.changes).toEqual([expect.objectContaining({ threadId: "9002", to: { businessId: "1002" } })]);
  const [one, same] = await Promise.all(
    [sim, other].map(async ({ control, api }) => {
      await control("POST /threads/9001/inbound", { text: "Once more" });
      await control("POST /wait", { for: "idle" });
      await api("POST /api/widget/send-message-to-business", {
        businessId: "1001",
        message: "Hello",
        user: { email: "ida@customer.example", locale: "fr" },
      });
      const ids = async (path: string) =>
        (await control(`GET ${path}`)).body.map(({ id }: { id: string }) => id);
      const { fired, seen } = (await control("GET /faults")).body[0];
      return [
        ...(await Promise.all(
          ["/requests", "/deliveries", "/controls", "/data/threads", "/data/messages"].map(ids),
        )),
        [fired, seen],
      ];
    }),
  );
  expect(same).toEqual(one);
  await other.control("POST /snapshots/before/restore");
  await sim.control("POST /snapshots/before/restore");
  expect((await other.control("GET /data/messages")).body).toEqual(
    (await sim.control("GET /data/messages")).body,
  );
});

it("stands still at the instant when it was taken, and a reset goes back to its start", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /clock", { now: Date.parse("2027-03-04T05:06:07Z") });
  const { journal, ...bundle } = await bundleOf(sim);
  const other = await opened({ ...bundle, journal });
  expect((await other.control("GET /clock")).body).toEqual({ now: journal.at, frozen: true });
  expect(journal.at).toBeGreaterThanOrEqual(Date.parse("2027-03-04T05:06:07Z"));
  await other.control("POST /reset");
  expect((await other.control("GET /clock")).body.frozen).toBe(false);
  expect((await other.control("GET /requests")).body).toEqual([]);
});

it("keeps a sandbox under its own id, tokens and ids, without its end", async () => {
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

it("calls nobody when it is opened: deliveries that were on their way are shown as they were", async () => {
  let calls = 0;
  const receiver = createServer((_request, response) => {
    calls += 1;
    response.writeHead(500).end();
  });
  onTestFinished(() => void receiver.close().closeAllConnections());
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const sim = await startSimulator({
    set: { "delivery.attempts": 3, "delivery.backoff": ["1m"] },
    clock: "2026-01-01T09:00:00Z",
  });
  await sim.control("PATCH /data/webhooks/1", {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
  });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const pending = (await sim.control("GET /deliveries?status=pending")).body;
  expect(pending).toMatchObject([{ attempts: [{ status: 500 }], nextAttemptAt: expect.any(Number) }]);
  const bundle = await bundleOf(sim);
  await sim.close();
  const before = calls;
  const other = await opened(bundle);
  await other.control("POST /clock/advance", { by: "1d" });
  expect((await other.control("GET /deliveries?status=pending")).body).toEqual(pending);
  expect((await other.control("POST /wait", { for: "idle" })).status).toBe(200);
  expect(calls).toBe(before);
  // By hand it goes out, and so does what happens from now on.
  const replayed = await other.control(`POST /deliveries/${pending[0].id}/replay`);
  expect(replayed.body.id).not.toBe(pending[0].id);
  await other.control("POST /wait", { for: "idle" });
  expect(calls).toBe(before + 1);
  // A bundle of a bundle shows the same.
  const again = await opened(await bundleOf(other));
  expect((await again.control("GET /deliveries")).body).toEqual(
    (await other.control("GET /deliveries")).body,
  );
});

it("tells no secret, and keeps what works without one", async () => {
  const sim = await startSimulator({
    set: { "delivery.signature": { scheme: "standard-webhooks", secrets: ["SIGNING1"] } },
  });
  await sim.control("POST /snapshots", { name: "before" });
  await sim.control("PATCH /data/webhooks/1", {
    url: "http://alice:PASSWORD1@127.0.0.1:9/hook?key=KEY1&tenant=acme",
    extraHeaders: [
      { name: "x-auth", value: "HEADER1" },
      { name: "x-tenant", value: "acme" },
      { name: "x-token", value: "acme-token" },
    ],
  });
  await sim.control("POST /snapshots", { name: "after" });
  await sim.control("POST /threads/9001/inbound", {
    text: "See https://bob:PASSWORD2@files.example/a?sig=SIG1",
  });
  await sim.control("POST /wait", { for: "idle" });
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001&api_key=QUERY1", undefined, {
    headers: { Authorization: "Bearer BEARER1", Cookie: "id=COOKIE1" },
  });
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001", undefined, { token: "REAL1" });
  await sim.control("PATCH /behaviour", {
    "delivery.signature": { scheme: "standard-webhooks", secrets: ["SIGNING2", "SIGNING3"] },
  });
  await sim.control("POST /faults", {
    on: "request",
    match: { token: "REAL1" },
    then: { status: 200, headers: { "Set-Cookie": "COOKIE2" } },
  });
  const shown = JSON.stringify([await read(sim), (await sim.control("GET /data/webhooks/1")).body]);
  const bundle = await bundleOf(sim);
  const secrets = [
    "PASSWORD1",
    "KEY1",
    "HEADER1",
    "PASSWORD2",
    "SIG1",
    "QUERY1",
    "BEARER1",
    "COOKIE1",
    "REAL1",
  ];
  for (const secret of [...secrets, "SIGNING1", "SIGNING2", "SIGNING3", "COOKIE2"]) {
    expect(shown).toContain(secret);
    expect(JSON.stringify(bundle)).not.toContain(secret);
  }
  const other = await opened(bundle);
  expect((await other.control("GET /data/webhooks/1")).body).toMatchObject({
    url: "http://***@127.0.0.1:9/hook?key=***&tenant=acme",
    extraHeaders: [
      { name: "x-auth", value: "***" },
      { name: "x-tenant", value: "acme" },
      { name: "x-token", value: "acme-token" },
    ],
  });
  const [known, unknown] = (await other.control("GET /requests")).body;
  expect(known).toMatchObject({
    token: "acme-token",
    headers: { token: "acme-token", authorization: "***", cookie: "***" },
    query: { customerThreadId: "9001", api_key: "***" },
    status: 200,
  });
  expect(unknown).toMatchObject({ token: "***", headers: { token: "***" }, status: 401 });
});

it("is a fixture too", async () => {
  const sim = await startSimulator();
  await makeTraffic(sim);
  const bundle = await bundleOf(sim);
  const { control } = await startSimulator({ fixtures: bundle });
  expect((await control("GET /data/messages")).body).toEqual((await sim.control("GET /data/messages")).body);
  expect((await control("GET /requests")).body).toEqual([]);
});

it("needs room, which the start says where there is none", async () => {
  const sim = await startSimulator();
  const bundle = await bundleOf(sim);
  const [message] = bundle.messages;
  bundle.messages = Array.from({ length: 3_000 }, (_, index) => ({
    ...message,
    id: String(700_000 + index),
  }));
  const refused = expect(opened(bundle, { memory: "1MiB" })).rejects;
  await refused.toThrow(
    /case\.json {2}needs \S+ MiB of memory, and worlds may take 768 KiB: give more with --memory/,
  );
});

it("holds a long journal, whatever the limit of who opens it", async () => {
  const sim = await startSimulator();
  const calls = 150;
  for (let done = 0; done < calls; done += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => sim.api("GET /api/get-customer-thread-details?customerThreadId=9001")),
    );
  const other = await opened(await bundleOf(sim), { journalLimit: 10 });
  const journal = (await other.control("GET /requests")).body;
  expect(journal).toEqual((await sim.control("GET /requests")).body);
  expect([journal.length, journal[0].id]).toEqual([calls, "r1"]);
  const verified = await other.control("POST /verify", { requests: { method: "GET" }, count: calls });
  expect(verified.body).toEqual({ ok: true, count: calls });
});

it("goes on with the newest of a log whose oldest entries are gone", async () => {
  const sim = await startSimulator({ journalLimit: 3 });
  for (let call = 0; call < 5; call += 1)
    await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  const other = await opened(await bundleOf(sim));
  expect((await other.control("GET /requests")).body.map(({ id }: { id: string }) => id)).toEqual([
    "r3",
    "r4",
    "r5",
  ]);
  const verified = await other.control("POST /verify", { requests: { method: "GET" }, count: 5 });
  expect([verified.status, verified.body.evicted]).toEqual([422, 2]);
});

it("is one moment, also while calls go on", async () => {
  const sim = await startSimulator();
  await sim.control("POST /faults", { on: "request", times: 1, then: { delayMs: 60_000 } });
  const hanging = sim.api("GET /api/get-customer-thread-details?customerThreadId=9001").catch(() => {});
  await vi.waitUntil(() => sim.registry.default.run.logs.journal.size === 1);
  const bundle = await bundleOf(sim);
  expect(bundle.journal.requests).toMatchObject([{ status: null, durationMs: null }]);
  const other = await opened(bundle);
  expect((await other.control("GET /requests")).body).toEqual(bundle.journal.requests);
  expect((await other.control("POST /wait", { for: "idle" })).status).toBe(200);
  await sim.close();
  await hanging;
});
