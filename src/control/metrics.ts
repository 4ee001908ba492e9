import { string } from "../kernel/schema.js";
import { route } from "./route.js";
import type { ControlServices } from "./services.js";

const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function metricsText({ registry, connections, store }: ControlServices): string {
  const pending = [...registry.all()].reduce((sum, { run }) => sum + run.deliveries.pending.size, 0);
  const { rss, heapUsed } = process.memoryUsage();
  const metrics: [name: string, help: string, value: number][] = [
    ["messaging_sim_deliveries_pending", "Deliveries that have not ended", pending],
    ["messaging_sim_failures_total", "Internal errors of the simulator", registry.failures],
    ["messaging_sim_connections_open", "Open connections", connections.size],
    ["messaging_sim_sandboxes", "Sandboxes open in this process", registry.size],
    ["process_resident_memory_bytes", "Resident memory of the process", rss],
    ["process_heap_bytes", "Heap in use", heapUsed],
  ];
  if (store !== undefined) {
    const isUp = store.status.failure === null;
    metrics.push(["messaging_sim_store_up", "1 if changes can be saved, otherwise 0", Number(isUp)]);
  }
  const texts = metrics.map(([name, help, value]) => {
    const type = name.endsWith("_total") ? "counter" : "gauge";
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
  });
  return texts.join("\n");
}

export const METRICS_ROUTES = [
  route("metrics", "GET /metrics", {
    scope: "server",
    summary: "Show metrics in the Prometheus format",
    success: { status: 200, contentType: PROMETHEUS_TYPE, schema: string() },
    handle: ({ services }) => ({ text: metricsText(services), contentType: PROMETHEUS_TYPE }),
  }),
];
