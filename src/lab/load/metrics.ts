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

/** Serves `/metrics`. @throws the system's error if it cannot listen */
export async function serveMetrics(tally: Tally, port: number, host: string) {
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
  const counters = {
    messages: ["Messages by customers and employees", tally.messages],
    replies: ["Replies expected by a step", tally.replies],
    unasked: ["Replies that no step expected", tally.unasked],
    started: ["Conversations started", tally.started],
    turned_away: ["Arrivals above the limit on customers", tally.turnedAway],
  } as const;
  const name = (rest: string) => `messaging_sim_load_${rest}`;
  return metricsPage([
    ...Object.entries(counters).map(([key, [help, value]]) => counter(name(`${key}_total`), help, value)),
    metric(
      "counter",
      name("conversations_total"),
      "Conversations ended, by outcome",
      Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    gauge(name("customers"), "Customers in a conversation", tally.alive),
    metric("histogram", name("reply_seconds"), "Reply latency", [
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
      name("event_loop_lag_seconds"),
      "Event loop lag of the generator since the last scrape",
      lagSamples(lag),
    ),
  ]);
}
