/** Figures of a running generator for Prometheus; those of several generators can be added up. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  counter,
  gauge,
  LoopLag,
  lagSamples,
  metric,
  metricsPage,
  PROMETHEUS_TYPE,
} from "../../kernel/metrics.js";
import type { Tally } from "./tally.js";

interface MetricsServer {
  readonly url: string;
  close(): void;
}

/** Serves `/metrics`. @throws the system's error if it cannot listen */
export async function serveMetrics(tally: Tally, port: number, host: string): Promise<MetricsServer> {
  const lag = new LoopLag();
  const server = createServer(({ url = "" }, response) => {
    const isThere = /^\/metrics(?:\?|$)/.test(url);
    response.writeHead(isThere ? 200 : 404, { "Content-Type": PROMETHEUS_TYPE });
    response.end(isThere ? loadMetrics(tally, lag.take()) : "the figures are at /metrics\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/metrics`,
    close: () => {
      lag.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function loadMetrics(tally: Tally, lag: ReturnType<LoopLag["take"]>): string {
  const { cumulative, sumMs } = tally.buckets;
  const { done, unfinished, failed, timeouts: timeout, wrong } = tally;
  const outcomes = { done, unfinished, timeout, wrong, failed: failed - timeout - wrong };
  return metricsPage([
    counter("messaging_sim_load_messages_total", "Messages by customers and employees", tally.messages),
    counter("messaging_sim_load_replies_total", "Replies taken by a step", tally.replies),
    counter("messaging_sim_load_unasked_total", "Replies that no step asked for", tally.unasked),
    counter("messaging_sim_load_started_total", "Conversations begun", tally.started),
    metric(
      "counter",
      "messaging_sim_load_conversations_total",
      "Conversations ended, by outcome",
      Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    counter(
      "messaging_sim_load_turned_away_total",
      "Arrivals above the limit on customers",
      tally.turnedAway,
    ),
    gauge("messaging_sim_load_customers", "Customers in a conversation", tally.alive),
    metric("histogram", "messaging_sim_load_reply_seconds", "Reply latency", [
      ...cumulative.map(({ boundMs, count: value }) => ({
        suffix: "_bucket",
        labels: { le: Number.isFinite(boundMs) ? String(boundMs / 1_000) : "+Inf" },
        value,
      })),
      { suffix: "_sum", labels: {}, value: sumMs / 1_000 },
      { suffix: "_count", labels: {}, value: cumulative.at(-1)?.count ?? 0 },
    ]),
    metric(
      "gauge",
      "messaging_sim_load_event_loop_lag_seconds",
      "Event loop lag of the generator since the last scrape",
      lagSamples(lag),
    ),
  ]);
}
