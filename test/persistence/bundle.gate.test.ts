import { expect, it } from "vitest";
import { receiver } from "../delivery/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { bundleOf, makeTraffic, opened, read } from "./bundle.js";

it("opens frozen with the same state, settings and logs, continues the ids, and a reset goes back to its start", async () => {
  const sim = await startSimulator({ seed: 7 });
  await makeTraffic(sim);
  const before = await read(sim);
  const bundle = await bundleOf(sim);
  const other = await opened(bundle);
  expect(await read(other)).toEqual(before);
  expect((before.requests as unknown[]).length).toBe(5);
  expect((before.warnings as unknown[]).length).toBeGreaterThan(0);
  expect(before.changes).toEqual([expect.objectContaining({ threadId: "9002", to: { businessId: "1002" } })]);
  expect(bundle.journal.at).toBeGreaterThanOrEqual(Date.parse("2027-03-04T05:06:07Z"));
  expect((await other.control("GET /clock")).body).toEqual({ now: bundle.journal.at, frozen: true });
  const continued = async ({ control, api }: Running) => {
    await control("POST /threads/9001/inbound", { text: "Once more" });
    await control("POST /wait", { for: "idle" });
    const user = { email: "ida@customer.example", locale: "fr" };
    await api("POST /api/widget/send-message-to-business", { businessId: "1001", message: "Hello", user });
    const routes = ["/requests", "/deliveries", "/controls", "/data/threads", "/data/messages"];
    const lists = await Promise.all(routes.map(async (route) => (await control(`GET ${route}`)).body));
    const { fired, seen } = (await control("GET /faults")).body[0];
    return [lists.map((list) => list.map(({ id }: { id: string }) => id)), fired, seen];
  };
  expect(await continued(other)).toEqual(await continued(sim));
  const restored = async ({ control }: Running) => {
    await control("POST /snapshots/before/restore");
    return (await control("GET /data/messages")).body;
  };
  expect(await restored(other)).toEqual(await restored(sim));
  await other.control("POST /reset");
  expect((await other.control("GET /clock")).body.frozen).toBe(false);
  expect((await other.control("GET /requests")).body).toEqual([]);
});

it("sends nothing when it is opened: pending deliveries are only shown", async () => {
  const { url, seen } = await receiver((response) => response.writeHead(500).end());
  const set = { "delivery.attempts": 3, "delivery.backoff": ["1m"] };
  const sim = await startSimulator({ set, clock: "2026-01-01T09:00:00Z" });
  await sim.control("PATCH /data/webhooks/1", { url });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const pending = (await sim.control("GET /deliveries?status=pending")).body;
  expect(pending).toMatchObject([{ attempts: [{ status: 500 }], nextAttemptAt: expect.any(Number) }]);
  const bundle = await bundleOf(sim);
  await sim.close();
  const before = seen.length;
  const other = await opened(bundle);
  await other.control("POST /clock/advance", { by: "1d" });
  expect((await other.control("GET /deliveries?status=pending")).body).toEqual(pending);
  expect((await other.control("POST /wait", { for: "idle" })).status).toBe(200);
  expect(seen).toHaveLength(before);
  // A replay is sent, and so are new events.
  const replayed = await other.control(`POST /deliveries/${pending[0].id}/replay`);
  expect(replayed.body.id).not.toBe(pending[0].id);
  await other.control("POST /wait", { for: "idle" });
  expect(seen).toHaveLength(before + 1);
  // A bundle of the opened bundle is the same.
  const again = await opened(await bundleOf(other));
  const [first, second] = [await again.control("GET /deliveries"), await other.control("GET /deliveries")];
  expect(first.body).toEqual(second.body);
});

it("contains no secrets, and keeps everything else", async () => {
  const signature = { scheme: "standard-webhooks" as const, secrets: ["SIGNING1"] };
  const sim = await startSimulator({ set: { "delivery.signature": signature } });
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
  const text = "See https://bob:PASSWORD2@files.example/a?sig=SIG1";
  await sim.control("POST /threads/9001/inbound", { text });
  await sim.control("POST /wait", { for: "idle" });
  const details = "GET /api/get-customer-thread-details?customerThreadId=9001";
  const headers = { Authorization: "Bearer BEARER1", Cookie: "id=COOKIE1" };
  await sim.api(`${details}&api_key=QUERY1`, undefined, { headers });
  await sim.api(details, undefined, { token: "REAL1" });
  await sim.control("POST /faults", { on: "request", match: { token: "REAL1" }, then: "slow" });
  const shown = JSON.stringify([await read(sim), (await sim.control("GET /data/webhooks/1")).body]);
  const bundle = await bundleOf(sim);
  const secrets = "PASSWORD1 KEY1 HEADER1 PASSWORD2 SIG1 QUERY1 BEARER1 COOKIE1 REAL1 SIGNING1";
  for (const secret of secrets.split(" ")) {
    expect(shown).toContain(secret);
    expect(JSON.stringify(bundle)).not.toContain(secret);
  }
  expect(JSON.stringify(bundle)).toContain("http://alice:••••D1@127.0.0.1:9/hook?key=••••Y1");
  const other = await opened(bundle);
  expect((await other.control("GET /data/webhooks/1")).body).toMatchObject({
    url: "http://alice:****D1@127.0.0.1:9/hook?key=****Y1&tenant=acme",
    extraHeaders: [
      { name: "x-auth", value: "****R1" },
      { name: "x-tenant", value: "****me" },
      { name: "x-token", value: "acme-token" },
    ],
  });
  const [known, unknown] = (await other.control("GET /requests")).body;
  expect(known).toMatchObject({
    token: "acme-token",
    headers: { token: "acme-token", authorization: "••••R1", cookie: "••••E1" },
    query: { customerThreadId: "9001", api_key: "••••Y1" },
    status: 200,
  });
  expect(unknown).toMatchObject({ token: "****L1", headers: { token: "****L1" }, status: 401 });
});

it("is refused if it does not fit into memory", async () => {
  const bundle = await bundleOf(await startSimulator());
  const [message] = bundle.messages;
  bundle.messages = Array.from({ length: 3_000 }, (_, at) => ({ ...message, id: String(700_000 + at) }));
  await expect(opened(bundle, { memory: "1MiB" })).rejects.toThrow(
    /case\.json {2}needs \S+ MiB of memory, but worlds may use 768 KiB: raise --memory/,
  );
});
