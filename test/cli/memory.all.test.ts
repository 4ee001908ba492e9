/** What is kept is bounded: the oldest entries of a log go, and a heap that is nearly full takes nothing more, but goes on. */
import { expect, it } from "vitest";
import type { Simulator } from "../../src/server/simulator.js";
import { idsOf } from "../control/support.js";
import { withCalls } from "../support/simulator.js";
import { DETAILS, SEND } from "../wire/client.js";
import { start } from "./program.js";

/** A program, with a small heap if wanted, and calls to it. */
async function program(heapMib?: number) {
  const env: Record<string, string> =
    heapMib === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMib}` };
  const running = start(["serve", "--port", "0"], env);
  const { control, api } = withCalls({ url: await running.url() } as Simulator);
  const send = (text: string) => api(`POST ${SEND}`, { customerThreadId: "9001", text });
  return { child: running.child, control, api, send };
}

/** The ids from `first` to `last`. */
const range = (prefix: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `${prefix}${first + at}`);

it("each log keeps 32 MiB of bodies: its newest calls, deliveries, and what a sink received", async () => {
  const { control, send } = await program();
  const [count, kept] = [40, 33];
  for (let n = 0; n < count; n += 1) expect((await send("x".repeat(1_000_000))).status).toBe(200);
  await control("POST /wait", { for: "idle" });
  expect(idsOf(await control("GET /requests"))).toEqual(range("r", count - kept + 1, count));
  expect(idsOf(await control("GET /deliveries"))).toEqual(range("d", count - kept + 1, count));
  expect(idsOf(await control("GET /sinks/demo/received"))).toEqual(range("k", count - kept + 1, count));
  const { body } = await control("POST /verify", { requests: { path: SEND }, count });
  expect(body).toMatchObject({ ok: false, count: kept, evicted: count - kept });
  expect((await control("GET /state")).body.messages.length).toBeGreaterThan(count);
});

it("a heap that is nearly full refuses what adds something, with Retry-After, and recovers after a reset", async () => {
  const { control, api, send, child } = await program(240);
  let refused = await send("first");
  for (let sent = 0; refused.status === 200 && sent < 2_000; sent += 1)
    refused = await send("x".repeat(500_000));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(refused.body.error).toMatch(
    /^Service unavailable: [\d.]+ MiB of the heap are in use, of at most [\d.]+ MiB$/,
  );

  const messages = async () => (await control("GET /data/messages?_page=1&_per_page=1")).body;
  const { items, data } = await messages();
  for (const [line, body] of [
    ["POST /threads/9001/inbound", { text: "Hello" }],
    ["POST /sandboxes", { id: "another" }],
    ["POST /snapshots", { name: "full" }],
    ["POST /faults", { on: "request", then: "slow" }],
  ] as const) {
    const answer = await control(line, body);
    expect([line, answer.status, answer.body.error?.code]).toEqual([line, 503, "overloaded"]);
    expect(answer.headers.get("retry-after")).toBe("5");
  }
  expect((await messages()).items).toBe(items);
  expect((await api(`GET ${DETAILS}`)).status).toBe(200);
  expect((await control("POST /verify", { requests: { path: SEND } })).body.ok).toBe(true);
  expect((await control(`DELETE /data/messages/${data[0].id}`)).status).toBe(200);

  expect((await control("POST /reset")).status).toBe(200);
  await expect.poll(async () => (await send("again")).status, { timeout: 20_000, interval: 500 }).toBe(200);
  expect(child.exitCode).toBeNull();
});

/** A body of a MiB whose value costs 22 MiB. */
const ITEMS = `[${"{},".repeat(349_000)}{}]`;

it("a program with a heap of 240 MiB takes 60 bodies of a MiB that are 20 times as large as values", async () => {
  const { control, api, child } = await program(240);
  for (let n = 0; n < 30; n += 1) expect((await control("POST /sinks/a", ITEMS)).status).toBe(200);
  for (let n = 0; n < 15; n += 1) expect((await api("POST /api/webhooks", ITEMS)).status).toBe(400);
  for (let n = 0; n < 15; n += 1)
    expect((await control("PUT /sinks/b", `{"body":${ITEMS}}`)).status).toBe(200);
  expect(idsOf(await control("GET /requests?limit=1"))).toEqual(["r15"]);
  expect(idsOf(await control("GET /controls?limit=1"))).toEqual(["c15"]);
  expect(idsOf(await control("GET /sinks/a/received"))).toEqual(range("k", 1, 30));
  expect(child.exitCode).toBeNull();
});
