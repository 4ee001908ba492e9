/** The dashboard of a load: its queries, asked of a Prometheus that scrapes two generators and a simulator. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { parse, stringify } from "yaml";
import { findProgram, findPrometheus, needs } from "../../scripts/programs.mjs";
import { serveMetrics } from "../../src/lab/load/metrics.js";
import { Tally } from "../../src/lab/load/tally.js";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";

const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "load");

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

const { panels } = JSON.parse(readFileSync(join(EXAMPLE, "grafana-dashboard.json"), "utf8"));
const TARGETS = (panels as readonly Panel[]).flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({ name: `${title}: ${legendFormat}`, expr })),
);

/** A generator whose figures are known, and go on growing. */
async function generator(ms: number) {
  const tally = new Tally();
  const server = await serveMetrics(tally, 0, "127.0.0.1");
  onTestFinished(() => server.close());
  const work = setInterval(() => {
    tally.begin();
    tally.messages += 1;
    tally.replied(ms);
    tally.end({ how: "done" });
    tally.begin();
    tally.end({ how: "failed", kind: "wrong", step: "reply", place: { path: "" }, message: "wrong" });
  }, 5);
  onTestFinished(() => clearInterval(work));
  tally.begin();
  return new URL(server.url).host;
}

/** Starts Prometheus with the example's configuration, and other addresses in it. */
async function prometheus(generators: readonly string[], simulator: string) {
  const config = parse(readFileSync(join(EXAMPLE, "prometheus.yml"), "utf8"));
  config.global.scrape_interval = "200ms";
  const targets: Record<string, readonly string[]> = { generators, simulator: [simulator] };
  for (const job of config.scrape_configs) job.static_configs = [{ targets: targets[job.job_name] }];
  const file = scratch()("prometheus.yml", stringify(config));
  const program = findPrometheus();
  if (program === undefined) throw new Error("There is no Prometheus: run node scripts/programs.mjs all");
  const port = await freePort();
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(dirname(file), "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(program, args, { stdio: "ignore" });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  return async (expr: string): Promise<readonly Result[]> => {
    const query = new URLSearchParams({ query: expr.replaceAll("$__rate_interval", "2s") });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${query}`);
    type Answer = { status: string; error?: string; data: { result: readonly Result[] } };
    const { status, data: found, error } = (await answer.json()) as Answer;
    expect(`${status} ${error ?? ""}`).toBe("success ");
    return found.result;
  };
}

it("names metrics as promtool wants them", needs("prometheus"), async () => {
  const promtool = findProgram("promtool");
  if (promtool === undefined) throw new Error("There is no promtool beside Prometheus");
  const sim = await startSimulator();
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  for (const url of [`${sim.url}/__sim/metrics`, `http://${await generator(15)}/metrics`]) {
    const input = await (await fetch(url)).text();
    expect(execFileSync(promtool, ["check", "metrics"], { input, encoding: "utf8" })).toBe("");
  }
});

it("shows two generators as one", needs("prometheus"), async () => {
  const sim = await startSimulator();
  await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  const ask = await prometheus([await generator(15), await generator(4_000)], new URL(sim.url).host);
  expect(TARGETS.length).toBeGreaterThan(10);
  // All that the dashboard asks for is there at once. A rate says what it should when it has seen enough of both.
  const answers = await vi.waitFor(
    async () => {
      const found = await Promise.all(TARGETS.map(({ expr }) => ask(expr)));
      const all = new Map(TARGETS.map(({ name }, at) => [name, found[at]]));
      expect([...all].filter(([, results]) => results?.length === 0)).toEqual([]);
      const one = (name: string) => Number(all.get(name)?.[0]?.value[1]);
      // Half of the replies took 15 ms, half of them 4 s: neither generator alone has these percentiles.
      const latency = "Reply latency, all generators together";
      expect(one(`${latency}: p50`)).toBeLessThan(4);
      expect(one(`${latency}: p99`)).toBeGreaterThan(3);
      expect(one(`${latency}: p99`)).toBeLessThanOrEqual(5);
      expect(one("Customers: all")).toBe(2);
      expect(all.get("Customers: {{instance}}")?.map(({ value }) => value[1])).toEqual(["1", "1"]);
      return all;
    },
    { timeout: 30_000, interval: 200 },
  );
  const outcomes = answers.get("Conversations by outcome: {{outcome}}") ?? [];
  const kinds = ["done", "failed", "timeout", "unfinished", "wrong"];
  expect(outcomes.map(({ metric }) => metric.outcome).sort()).toEqual(kinds);
  const lag = answers.get("Event loop lag, 99th percentile: simulator {{instance}}");
  expect(lag?.[0]?.metric.instance).toBe(new URL(sim.url).host);
});
