// Slow: processes that end and start again.
/** Restarts on the same folder. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { start } from "../cli/program.js";
import { answering, receiver } from "../delivery/support.js";
import { until } from "../support/until.js";
import { type Served, said, say, serve } from "./command.js";
import { newFolder } from "./support.js";

const idsOf = async ({ control }: Served): Promise<string[]> =>
  (await control("GET /sandboxes")).body.map(({ id }: { id: string }) => id);

it("a restarted simulator has every sandbox as a reset and a restored snapshot left it", async () => {
  const folder = newFolder();
  const first = await serve(folder, "--durability", "strict");
  await first.control("POST /sandboxes", { id: "Acme-1", clock: "2026-05-05T10:00:00Z", seed: 7 });
  const path = "/sandboxes/Acme-1";
  await say(first, "one", "Acme-1");
  await first.control(`PATCH ${path}/behaviour`, { "delivery.attempts": 7 });
  await first.control(`POST ${path}/faults`, { on: "request", then: "slow", match: { path: "/none" } });
  await first.control(`POST ${path}/snapshots`, { name: "here" });
  await first.control(`POST ${path}/reset`);
  await first.control(`POST ${path}/snapshots/here/restore`);
  const { body: state } = await first.control(`GET ${path}/state`);
  await first.kill();

  const second = await serve(folder);
  const get = async (route: string) => (await second.control(`GET ${path}${route}`)).body;
  expect([await idsOf(second), await get("/state")]).toEqual([["default", "Acme-1"], state]);
  expect(await get("/faults")).toEqual([]);
  const attempts = { key: "delivery.attempts", value: 1 };
  expect(await get("/behaviour")).toContainEqual(expect.objectContaining(attempts));
});

it("a restarted simulator sends pending deliveries, with their ids and attempts", async () => {
  const folder = newFolder();
  const { url, seen } = await receiver(answering(503, 200));
  const signature = '{"scheme":"standard-webhooks","secrets":["whsec_c2VjcmV0c2VjcmV0c2VjcmV0"]}';
  const set = ["delivery.attempts=3", "delivery.backoff=[1h]", `delivery.signature=${signature}`];
  const words = ["--clock", "2026-01-01T09:00:00Z", ...set.flatMap((value) => ["--set", value])];
  const first = await serve(folder, "--durability", "strict", ...words);
  await first.control("PATCH /data/webhooks/1", { url });
  await first.control("POST /threads/9001/inbound", { text: "anybody?" });
  await first.control("POST /wait", { for: "idle" });
  const { body: before } = await first.control("GET /deliveries?status=pending");
  expect(before).toMatchObject([{ attempts: [{ status: 503 }] }]);
  await first.kill();

  const second = await serve(folder);
  expect((await second.control("GET /deliveries")).body).toEqual(before);
  await second.control("POST /clock/advance", { by: "1h" });
  const { body: after } = await second.control("GET /deliveries?status=delivered");
  expect(after).toMatchObject([{ id: before[0].id, attempts: [{ status: 503 }, { status: 200 }] }]);
  const got = seen.map(({ headers, text }) => [headers["webhook-id"], text]);
  expect(got).toEqual([got[0], got[0]]);
  expect(got[0]![0]).toBeTruthy();
});

it("a restarted simulator continues a real clock at real time, and lets a sandbox expire in time", async () => {
  const folder = newFolder();
  const first = await serve(folder);
  await first.control("PUT /clock", { now: "2031-01-01T00:00:00Z" });
  await first.control("PUT /sandboxes/brief", { ttlMs: 1_500 });
  await first.control("PUT /sandboxes/long", { ttlMs: 3_600_000 });
  expect(await first.stop()).toBe(0);
  const second = await serve(folder);
  const { body: clock } = await second.control("GET /clock");
  expect(clock.frozen).toBe(false);
  expect(clock.now).toBeGreaterThanOrEqual(Date.UTC(2031, 0));
  expect(clock.now).toBeLessThan(Date.UTC(2031, 0, 1, 1));
  await until(async () => !(await idsOf(second)).includes("brief"));
  expect((await second.control("GET /sandboxes/long")).status).toBe(200);
  // Its files are gone, too.
  await second.control("POST /checkpoint");
  expect(readdirSync(folder).filter((name) => name.includes("brief"))).toEqual([]);
});

it("a restarted simulator keeps a readable fixture for each sandbox, and starts new ones from --fixtures", async () => {
  const folder = newFolder();
  const first = await serve(folder);
  await say(first, "in the first");
  await first.control("POST /checkpoint");
  expect(await first.stop()).toBe(0);
  const file = join(folder, "default.json");
  const { messages } = JSON.parse(readFileSync(file, "utf8"));
  expect(messages).toContainEqual(expect.objectContaining({ text: "in the first" }));
  expect(await said(await serve(newFolder(), "--fixtures", file))).toContain("in the first");
  const checked = start(["check", file]);
  expect(await checked.exited).toBe(0);
  // The folder's own sandbox stays as it is; a new one starts from the file.
  const beside = await serve(folder, "--fixtures", "fixtures/default.json");
  expect(await said(beside)).toContain("in the first");
  await beside.control("POST /sandboxes", { id: "fresh" });
  expect(await said(beside, "fresh")).not.toContain("in the first");
});
