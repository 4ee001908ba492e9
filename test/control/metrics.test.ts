import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

/** A simulator, the text of its metrics and one figure in it. */
async function measured(options = {}) {
  const sim = await startSimulator(options);
  const metrics = async (): Promise<string> => (await sim.control("GET /metrics")).body;
  const figure = async (name: string) => {
    const line = (await metrics()).split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  };
  return { ...sim, metrics, figure };
}

it("shows what is open in all sandboxes", async () => {
  const sim = await measured();
  await sim.control("POST /sandboxes", { id: "s1" });
  const { status, headers } = await sim.control("GET /metrics");
  const type = expect.stringMatching(/^text\/plain; version=0\.0\.4/);
  expect([status, headers.get("content-type")]).toEqual([200, type]);
  const text = await sim.metrics();
  expect(text.split("\n")).toEqual(
    expect.arrayContaining(["messaging_sim_deliveries_pending 0", "messaging_sim_sandboxes 2"]),
  );
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(text).toMatch(/^process_heap_bytes [1-9]/m);
});

it("follows Prometheus naming", async () => {
  const text = await (await measured()).metrics();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  expect(types.size).toBe(6);
  for (const [line, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    expect([line, types.get(name)]).toEqual([line, name.endsWith("_total") ? "counter" : "gauge"]);
    expect(labels).not.toMatch(/\b(?:quantile|le)=/);
  }
});

it("counts deliveries awaiting a retry as pending, until they end or the sandbox is reset", async () => {
  const clock = "2026-01-01T09:00:00Z";
  const sim = await measured({ journalLimit: 3, clock, set: { "delivery.attempts": 2 } });
  await sim.control("PUT /sinks/demo", { status: 500 });
  const pendingAfter = async (call: string, body?: object, times = 1) => {
    for (let n = 0; n < times; n += 1) await sim.control(call, body);
    await sim.control("POST /wait", { for: "idle" });
    return sim.figure("messaging_sim_deliveries_pending");
  };
  const fail = "POST /threads/9001/inbound";
  expect(await pendingAfter(fail, { text: "Hello" }, 5)).toBe(5);
  expect(await pendingAfter("POST /clock/advance", { by: "1h" })).toBe(0);
  expect(await pendingAfter(fail, { text: "Hello" }, 4)).toBe(4);
  expect(await pendingAfter("POST /reset")).toBe(0);
});
