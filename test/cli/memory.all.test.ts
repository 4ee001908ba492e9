/** What is kept stays within its budget, whatever it costs: a small heap, bodies that are 25 times their text as values. */
import { expect, it } from "vitest";
import type { Simulator } from "../../src/server/simulator.js";
import { idsOf } from "../control/support.js";
import { withCalls } from "../support/simulator.js";
import { start } from "./program.js";

/** As texts they are a quarter of the heap; as values a few of them exhaust it. */
const COUNT = 36;
const FEW = 15;
/** A body of one MiB whose value costs 22 MiB. */
const BODY = itemsOf(349_520);
/** A little less, with what stands around it. */
const SETTINGS = `{"body":${itemsOf(349_000)}}`;
const HEAP_MIB = 240;
const SMALL_HEAP = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };

function itemsOf(count: number): string {
  return `[${"{},".repeat(count - 1)}{}]`;
}

/** A program with a small heap, and calls to it. */
async function program() {
  const running = start(["serve", "--port", "0"], SMALL_HEAP);
  const { control, api } = withCalls({ url: await running.url() } as Simulator);
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (.*)$`, "m").exec((await control("GET /metrics")).body)?.[1]);
  return { child: running.child, control, api, metric };
}

it("a program with a heap of 240 MiB takes 66 bodies of a MiB, four times its heap and more, on sinks, the simulated API and recorded control calls, and keeps the newest", async () => {
  const { control, api, metric, child } = await program();
  for (let n = 0; n < COUNT; n += 1) expect((await control("POST /sinks/a", BODY)).status).toBe(200);
  for (let n = 0; n < FEW; n += 1) expect((await api("POST /api/webhooks", BODY)).status).toBe(400);
  for (let n = 0; n < FEW; n += 1) expect((await control("PUT /sinks/b", SETTINGS)).status).toBe(200);

  const budget = await metric("messaging_sim_memory_limit_bytes");
  expect(await metric("messaging_sim_memory_used_bytes")).toBeLessThanOrEqual(budget);
  expect(budget).toBeLessThan(HEAP_MIB * 1024 * 1024);
  expect(await metric("process_resident_memory_bytes")).toBeLessThan(2 * HEAP_MIB * 1024 * 1024);
  for (const [list, newest] of [
    ["requests", `r${FEW}`],
    ["controls", `c${FEW}`],
  ])
    expect(idsOf(await control(`GET /${list}?limit=1`))).toEqual([newest]);
  const received = idsOf(await control("GET /sinks/a/received"));
  expect(received.length).toBeLessThan(COUNT);
  expect(received).toEqual(Array.from(received, (_, at) => `k${COUNT - received.length + 1 + at}`));
  expect(child.exitCode).toBeNull();
});

it("a program with a heap of 240 MiB refuses states whose values would not fit, before they are made, and goes on", async () => {
  const { control, child } = await program();
  const before = (await control("GET /state")).body;
  const code = "insufficient-storage";
  for (const body of [`{"messages":${itemsOf(5_400_000)}}`, `{"a":{"b":${itemsOf(5_400_000)}}}`])
    expect(await control("PUT /state", body)).toMatchObject({ status: 507, body: { error: { code } } });
  expect((await control("GET /state")).body).toEqual(before);
  expect(child.exitCode).toBeNull();
});
