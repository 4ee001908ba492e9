/** What is kept stays within its budget, whatever it costs: a small heap, bodies that are 25 times their text as values. */
import { describe, expect, it } from "vitest";
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
const HEADERS = { token: "acme-token", "content-type": "application/json" };

function itemsOf(count: number): string {
  return `[${"{},".repeat(count - 1)}{}]`;
}

/** A program with a small heap, and calls to it. */
async function program(...words: string[]) {
  const running = start(["serve", "--port", "0", ...words], SMALL_HEAP);
  const url = await running.url();
  const call = async (line: string, body?: string) => {
    const [method, path] = line.split(" ");
    const response = await fetch(url + path, { method, headers: HEADERS, body });
    return { status: response.status, text: await response.text() };
  };
  const metric = async (name: string) => {
    const { text } = await call("GET /__sim/metrics");
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  };
  /** Sends the body again and again, and expects the same answer each time. */
  const flood = async (count: number, line: string, body: string, status: number) => {
    for (let n = 0; n < count; n += 1) expect((await call(line, body)).status).toBe(status);
  };
  return { ...running, call, metric, flood };
}

const ids = (text: string): string[] => JSON.parse(text).map(({ id }: { id: string }) => id);

describe("a program with a heap of 240 MiB", () => {
  it("takes 66 bodies of a MiB, four times its heap and more, on sinks, the simulated API and recorded control calls, and keeps the newest", async () => {
    const { call, metric, flood, child } = await program();
    await flood(COUNT, "POST /__sim/sinks/a", BODY, 200);
    await flood(FEW, "POST /api/webhooks", BODY, 400);
    await flood(FEW, "PUT /__sim/sinks/b", SETTINGS, 200);

    const budget = await metric("messaging_sim_memory_limit_bytes");
    expect(await metric("messaging_sim_memory_used_bytes")).toBeLessThanOrEqual(budget);
    expect(budget).toBeLessThan(HEAP_MIB * 1024 * 1024);
    expect(await metric("process_resident_memory_bytes")).toBeLessThan(2 * HEAP_MIB * 1024 * 1024);
    const requests = await call("GET /__sim/requests?limit=1");
    expect(ids(requests.text)).toEqual([`r${FEW}`]);
    const controls = await call("GET /__sim/controls?limit=1");
    expect(ids(controls.text)).toEqual([`c${FEW}`]);
    const received = ids((await call("GET /__sim/sinks/a/received")).text);
    expect(received.length).toBeLessThan(COUNT);
    expect(received).toEqual(Array.from(received, (_, at) => `k${COUNT - received.length + 1 + at}`));
    expect(child.exitCode).toBeNull();
  });

  it("refuses states whose values would not fit, before they are made, and goes on", async () => {
    const { call, child } = await program();
    const before = await call("GET /__sim/state");
    for (const body of [`{"messages":${itemsOf(5_400_000)}}`, `{"a":{"b":${itemsOf(5_400_000)}}}`]) {
      const refused = await call("PUT /__sim/state", body);
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([507, "insufficient-storage"]);
    }
    expect((await call("GET /__sim/state")).text).toBe(before.text);
    expect(child.exitCode).toBeNull();
  });
});
