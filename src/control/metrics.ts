import { string } from "../kernel/schema.js";
import { route } from "./route.js";
import type { ControlServices } from "./services.js";

const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function metric(
  type: "counter" | "gauge",
  name: string,
  help: string,
  samples: readonly Sample[] | number,
): string {
  const all = typeof samples === "number" ? [{ labels: {}, value: samples }] : samples;
  const lines = all.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}

const gauge = (name: string, help: string, samples: readonly Sample[] | number): string =>
  metric("gauge", name, help, samples);

function metricsText({ registry, uptime, connections, store }: ControlServices): string {
  const open = [...registry.all()];
  const calls = open.reduce((sum, { run }) => sum + run.calls.count, 0);
  const pending = open.reduce((sum, { run }) => sum + run.deliveries.pending.size, 0);
  const runs = open.filter(({ scenarios }) => !scenarios.idle).length;
  const waits = open.reduce((sum, { openWaits }) => sum + openWaits, 0);
  const streams = open.reduce((sum, sandbox) => sum + sandbox.streams.count, 0);
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const { rss, heapUsed } = process.memoryUsage();
  const metrics = [
    gauge(
      "messaging_sim_deliveries_pending",
      "Deliveries that are queued, in flight or waiting for a retry",
      pending,
    ),
    metric(
      "counter",
      "messaging_sim_failures_total",
      "Internal errors of the simulator (all were handled)",
      registry.failures,
    ),
    gauge("messaging_sim_calls_open", "Calls to the simulated API in flight", calls),
    gauge("messaging_sim_scenario_runs_open", "Posted scenarios that are running", runs),
    gauge("messaging_sim_connections_open", "Open connections", connections.size),
    gauge("messaging_sim_sandboxes", "Sandboxes open in this process", registry.size),
    gauge("messaging_sim_waits_open", "Open waits", waits),
    gauge("messaging_sim_streams_open", "Open event streams", streams),
    gauge("messaging_sim_uptime_seconds", "Seconds since the simulator started", uptime() / 1000),
    gauge("process_timers_active", "Timers that keep the process alive", timers),
    gauge("process_resident_memory_bytes", "Resident memory of the process", rss),
    gauge("process_heap_bytes", "Heap in use", heapUsed),
    gauge(
      "messaging_sim_heap_limit_bytes",
      "Heap in use beyond which calls that add something are refused",
      registry.heap.limit,
    ),
    ...(store === undefined
      ? []
      : [
          gauge(
            "messaging_sim_store_up",
            "1 if changes can be saved, otherwise 0",
            store.status.failure === null ? 1 : 0,
          ),
        ]),
  ];
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
