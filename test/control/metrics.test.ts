import { expect, it } from "vitest";
import { REQUESTS } from "../../src/sandbox/match.js";
import { startSimulator } from "../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";

it("counts calls and deliveries across sandboxes and resets", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "s1" });
  await sim.api(`${DETAILS}9001`);
  await sim.api(`${DETAILS}9001`, undefined, { token: "s1.acme-token" });
  await sim.api(`${DETAILS}404404`);
  await sim.api("GET /nowhere");
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  await sim.control("POST /reset");
  const { status, headers, body } = await sim.control("GET /metrics");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(body.split("\n")).toEqual(
    expect.arrayContaining([
      'messaging_sim_requests_total{operation="getCustomerThreadDetails",status="2xx"} 2',
      'messaging_sim_requests_total{operation="getCustomerThreadDetails",status="4xx"} 1',
      'messaging_sim_requests_total{operation="none",status="4xx"} 1',
      'messaging_sim_deliveries_total{status="delivered"} 1',
      'messaging_sim_deliveries_total{status="failed"} 0',
      "messaging_sim_deliveries_pending 0",
      "messaging_sim_sandboxes 2",
    ]),
  );
  expect(body).toMatch(/^process_resident_memory_bytes [1-9]/m);
});

it("follows Prometheus naming", async () => {
  const { body } = await (await startSimulator()).control("GET /metrics");
  const types = new Map([...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  expect(types.size).toBeGreaterThan(15);
  for (const [line, name, labels = ""] of body.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    expect([line, types.get(name)]).toEqual([line, name.endsWith("_total") ? "counter" : "gauge"]);
    expect(labels).not.toMatch(/\b(?:quantile|le)=/);
  }
});

it("shows open waits, on every scrape", async () => {
  const sim = await startSimulator();
  sim.registry.default.waiters.entries(REQUESTS, { path: "/never" }, 1, 10_000);
  await sim.control("GET /metrics");
  const { body } = await sim.control("GET /metrics");
  expect(body).toContain("messaging_sim_waits_open 1\n");
});

it("counts deliveries awaiting a retry as pending, until they end or the sandbox is reset", async () => {
  const sim = await startSimulator({
    journalLimit: 3,
    clock: "2026-01-01T09:00:00Z",
    set: { "delivery.attempts": 2 },
  });
  await sim.control("PUT /sinks/demo", { status: 500 });
  const pending = async () =>
    /^messaging_sim_deliveries_pending (.*)$/m.exec((await sim.control("GET /metrics")).body)?.[1];
  const fail = async (count: number) => {
    for (let n = 0; n < count; n += 1) await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
  };
  await fail(5);
  expect(await pending()).toBe("5");
  await sim.control("POST /clock/advance", { by: "1h" });
  await sim.control("POST /wait", { for: "idle" });
  expect(await pending()).toBe("0");
  await fail(4);
  expect(await pending()).toBe("4");
  await sim.control("POST /reset");
  expect(await pending()).toBe("0");
});

it("reports memory use against its limit, and event loop lag", async () => {
  const sim = await startSimulator({ memory: "64MiB" });
  const figure = async (name: string) => {
    const { body } = await sim.control("GET /metrics");
    const line = body.split("\n").find((each: string) => each.startsWith(`${name} `));
    return Number(line.slice(name.length + 1));
  };
  const before = await figure("messaging_sim_memory_used_bytes");
  await sim.api(`${DETAILS}9001`);
  const after = await figure("messaging_sim_memory_used_bytes");
  expect(after - before).toBeGreaterThan(500);
  expect(await figure("messaging_sim_memory_limit_bytes")).toBe(64 * 1024 * 1024);
  const worlds = await figure("messaging_sim_memory_worlds_bytes");
  expect(worlds).toBeGreaterThan(1_000);
  expect(worlds).toBeLessThan(after);
  const lagAfterHold = async () => {
    for (let n = 0; n < 10; n += 1) await sim.api(`${DETAILS}9001`);
    const until = performance.now() + 100;
    while (performance.now() < until);
    await sim.api(`${DETAILS}9001`);
    return figure('messaging_sim_event_loop_lag_seconds{percentile="100"}');
  };
  await expect.poll(lagAfterHold, { timeout: 10_000 }).toBeGreaterThan(0.05);
  expect(await figure('messaging_sim_event_loop_lag_seconds{percentile="50"}')).toBeLessThan(0.1);
});
