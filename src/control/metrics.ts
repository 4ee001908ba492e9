import { string } from "../kernel/schema.js";
import { DELIVERY_STATUSES } from "../sandbox/deliveries.js";
import { route } from "./route.js";
import type { ControlServices } from "./services.js";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The simulator's numbers in Prometheus text, put together when they are asked for. */
async function metricsText({ registry, uptime }: ControlServices): Promise<string> {
  const { Counter, Gauge, Registry } = await import("prom-client");
  const metrics = new Registry();
  const registers = [metrics];
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers }).set(value);

  const requests = new Counter({
    name: "messaging_sim_requests_total",
    help: "Calls to the simulated API that are over, by operation and status class",
    labelNames: ["operation", "status"],
    registers,
  });
  for (const { operation, statusClass, calls } of registry.totals.calls()) {
    const status = statusClass === 0 ? "none" : `${statusClass}xx`;
    requests.inc({ operation: operation ?? "none", status }, calls);
  }
  const deliveries = new Counter({
    name: "messaging_sim_deliveries_total",
    help: "Deliveries that have come to their end, by status",
    labelNames: ["status"],
    registers,
  });
  for (const status of DELIVERY_STATUSES)
    if (status !== "pending") deliveries.inc({ status }, registry.totals.deliveries(status));

  const { pending, waits, streams } = openNow(registry.all());
  gauge(
    "messaging_sim_deliveries_pending",
    "Deliveries that wait, are under way or wait for a retry",
    pending,
  );
  gauge("messaging_sim_sandboxes", "Sandboxes that are alive", registry.size);
  gauge("messaging_sim_waits_open", "Open waits", waits);
  gauge("messaging_sim_streams_open", "Open event streams", streams);
  gauge("messaging_sim_uptime_seconds", "Seconds since the start", uptime() / 1000);
  const memory = process.memoryUsage();
  gauge("process_resident_memory_bytes", "Resident memory of the process", memory.rss);
  gauge("process_heap_bytes", "Heap in use", memory.heapUsed);
  return metrics.metrics();
}

function openNow(sandboxes: ReturnType<ControlServices["registry"]["all"]>) {
  const open = { pending: 0, waits: 0, streams: 0 };
  for (const sandbox of sandboxes) {
    open.waits += sandbox.openWaits;
    open.streams += sandbox.streams.count;
    for (const { status } of sandbox.run.deliveries.from()) if (status === "pending") open.pending += 1;
  }
  return open;
}

export const METRICS_ROUTES = [
  route("metrics", "GET /metrics", {
    scope: "server",
    summary: "The simulator's numbers for Prometheus",
    success: { status: 200, contentType: CONTENT_TYPE, schema: string() },
    handle: async ({ services }) => ({ text: await metricsText(services), contentType: CONTENT_TYPE }),
  }),
];
