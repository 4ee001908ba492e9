import { string } from "../kernel/schema.js";
import { route } from "./route.js";
import type { ControlServices } from "./services.js";

const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function metric(name: string, help: string, value: number): string {
  const type = name.endsWith("_total") ? "counter" : "gauge";
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`].join("\n");
}

function metricsText({ registry, connections, store }: ControlServices): string {
  const pending = [...registry.all()].reduce((sum, { run }) => sum + run.deliveries.pending.size, 0);
  const { rss, heapUsed } = process.memoryUsage();
  const metrics = [
    metric(
      "messaging_sim_deliveries_pending",
      "Deliveries that are queued, in flight or waiting for a retry",
      pending,
    ),
    metric(
      "messaging_sim_failures_total",
      "Internal errors of the simulator (all were handled)",
      registry.failures,
    ),
    metric("messaging_sim_connections_open", "Open connections", connections.size),
    metric("messaging_sim_sandboxes", "Sandboxes open in this process", registry.size),
    metric("process_resident_memory_bytes", "Resident memory of the process", rss),
    metric("process_heap_bytes", "Heap in use", heapUsed),
  ];
  if (store !== undefined)
    metrics.push(
      metric(
        "messaging_sim_store_up",
        "1 if changes can be saved, otherwise 0",
        store.status.failure === null ? 1 : 0,
      ),
    );
  return `${metrics.join("\n\n")}\n`;
}

export const METRICS_ROUTES = [
  route("metrics", "GET /metrics", {
    scope: "server",
    summary: "Show metrics in the Prometheus format",
    success: { status: 200, contentType: PROMETHEUS_TYPE, schema: string() },
    handle: ({ services }) => ({ text: metricsText(services), contentType: PROMETHEUS_TYPE }),
  }),
];
