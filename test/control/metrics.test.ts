import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";

it("counts calls and deliveries over sandboxes and resets", async () => {
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
  const lines = body.split("\n");
  expect(lines).toContain(
    'messaging_sim_requests_total{operation="getCustomerThreadDetails",status="2xx"} 2',
  );
  expect(lines).toContain(
    'messaging_sim_requests_total{operation="getCustomerThreadDetails",status="4xx"} 1',
  );
  expect(lines).toContain('messaging_sim_requests_total{operation="none",status="4xx"} 1');
  expect(lines).toContain('messaging_sim_deliveries_total{status="delivered"} 1');
  expect(lines).toContain('messaging_sim_deliveries_total{status="failed"} 0');
  expect(lines).toContain("messaging_sim_deliveries_pending 0");
  expect(lines).toContain("messaging_sim_sandboxes 2");
  expect(body).toMatch(/^process_resident_memory_bytes [1-9]/m);
});

it("shows what is open, and can be asked twice", async () => {
  const sim = await startSimulator();
  sim.registry.default.waiters.requests({ path: "/never" }, 1, 10_000);
  await sim.control("GET /metrics");
  const { body } = await sim.control("GET /metrics");
  expect(body).toContain("messaging_sim_waits_open 1\n");
});

it("belongs to the server", async () => {
  const sim = await startSimulator();
  expect((await sim.control("GET /sandboxes/default/metrics")).status).toBe(404);
});
