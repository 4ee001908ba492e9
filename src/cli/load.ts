/** `messaging-sim load`: starts what a load test needs, runs it, and stops what it started. */

import { eventBatches } from "../client/stream.js";
import { controlApi, type Transport } from "../client/transport.js";
import type { DeliveryRecord } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import { randomDigits } from "../kernel/random.js";
import { Finish } from "../lab/load/arrivals.js";
import type { Feed, OpenFeed } from "../lab/load/customer.js";
import { serveMetrics } from "../lab/load/metrics.js";
import { playLoad, playProblems, startsProblems } from "../lab/load/play.js";
import { type LoadReport, type Point, readExpectation } from "../lab/load/report.js";
import { LOAD_REPORTERS, progressLine } from "../lab/load/reporters.js";
import { Tally } from "../lab/load/tally.js";
import { DEFAULT_SANDBOX } from "../protocol/names.js";
import {
  type DeliveryMatch,
  type DeliverySubject,
  deliveryDifferences,
  type RequestMatch,
  type RequestSubject,
  requestDifferences,
} from "../sandbox/match.js";
import { transportTo } from "../scenarios/http.js";
import { ensureSandbox, pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Simulator } from "../server/simulator.js";
import {
  asText,
  command,
  duration,
  list,
  optional,
  port,
  positive,
  rate,
  refused,
  reportersOrByFile,
  type Values,
  withDefault,
  words,
} from "./command.js";
import { printOrWrite, reporterNamed } from "./files.js";
import { readRunnable } from "./scenario-files.js";
import {
  type EndOfSystem,
  EXEC_OPTIONS,
  EXEC_REQUIRES,
  type Plan,
  type SandboxTarget,
  startSystem,
  TARGET_OPTIONS,
  withSimulator,
} from "./system-under-test.js";
import { FAILED, OK, onFirstSignal, refuse, type Terminal } from "./terminal.js";

/** The options of `load`. */
const LOAD_OPTIONS = {
  scenario: words("scenario files, or folders of them: customers play them in turn"),
  customers: optional("number of concurrent customers; each starts over when finished", positive),
  arrivals: optional("rate of new customers, such as 50/s, whether or not earlier ones have finished", rate),
  for: withDefault("duration of the load test", duration(1), "1m"),
  ramp: withDefault(
    "initial part of the duration in which the number of customers grows from zero",
    duration(0),
    "0s",
  ),
  expect: list(
    "limit for p50, p90, p99 (any p), max, mean, failures, timeouts or wrong, such as p99<2s or failures<0.1% (repeatable)",
    (text) => {
      const read = readExpectation(text);
      return typeof read === "string" ? refused(read) : read;
    },
  ),
  ...EXEC_OPTIONS,
  ...TARGET_OPTIONS,
  sandbox: optional("sandbox of that simulator, used without a reset (default: default)", asText),
  reporter: reportersOrByFile(LOAD_REPORTERS),
  "metrics-port": optional("serve Prometheus metrics on this port during the load test", port),
  "metrics-host": withDefault("address to serve the metrics on", asText, "127.0.0.1"),
};
type LoadValues = Values<typeof LOAD_OPTIONS>;

/** `messaging-sim load <scenario…>`. */
export const LOAD = command({
  options: LOAD_OPTIONS,
  requires: { ...EXEC_REQUIRES, sandbox: "url", "metrics-host": "metrics-port" },
  examples: {
    'messaging-sim load order.yaml --customers 20 --for 2s --hook http://127.0.0.1:3000 --exec "node echo.js"':
      "twenty concurrent customers, with a simulator of its own",
    "messaging-sim load order.yaml --arrivals 10/s --for 2s --ramp 1s --expect 'p99<5s' --expect 'failures<1%' --hook http://127.0.0.1:3000 --exec \"node echo.js\"":
      "ten new customers a second; exit code 1 if an expectation does not hold",
    "messaging-sim load order.yaml --customers 10 --for 2s --url http://127.0.0.1:4020 --out load.html":
      "on a running simulator, with an HTML report",
  },
  exits: {
    0: "every expectation holds, or there is none",
    1: "an expectation does not hold, or the system under test was not ready",
    2: "a file or option is unusable, a scenario is not suitable for load tests, or the simulator does not respond",
  },
  problems: ({ customers, arrivals, for: time, ramp }) => [
    ...(customers === undefined && arrivals === undefined
      ? [{ path: "--customers", message: "is missing: set --customers or --arrivals" }]
      : []),
    ...(customers !== undefined && arrivals !== undefined
      ? [{ path: "--arrivals", message: "cannot be combined with --customers" }]
      : []),
    ...(ramp > time ? [{ path: "--ramp", message: "cannot be longer than --for" }] : []),
  ],
  run: async (values, terminal) => {
    const { url, exec, reporter, out } = values;
    const { scenarios, problems } = await readRunnable(values);
    const starts = { isRunning: url !== undefined, isStarted: exec !== undefined };
    const unplayable = [...scenarios.flatMap(playProblems), ...startsProblems(scenarios, starts)];
    if (problems.length > 0 || unplayable.length > 0) return refuse(terminal, [...problems, ...unplayable]);
    const isLive = process.stderr.isTTY === true;
    const report = await startLoad(scenarios, { ...values, env: terminal.env }, terminal, (point) => {
      // A log is not flooded by a long load.
      if (isLive) terminal.err(`\r\u001b[K${progressLine(point)}`);
      else if (point.s < 10 || Math.round(point.s) % 10 === 0) terminal.err(`${progressLine(point)}\n`);
    });
    if (isLive) terminal.err("\r\u001b[K");
    const name = reporter ?? reporterNamed(LOAD_REPORTERS, out);
    await printOrWrite(LOAD_REPORTERS[name](report), out, terminal);
    if (out !== undefined) terminal.out(LOAD_REPORTERS.pretty(report));
    return report.ok ? OK : FAILED;
  },
});

/** The log limits of an own simulator: the load test does not read old entries. */
const JOURNAL_LIMIT = 100;

/** @throws UnusableScenario, UnusableDocument, NotReady, SimError */
const startLoad = (
  scenarios: readonly Scenario[],
  plan: LoadValues & Plan,
  { err }: Terminal,
  onPoint: (point: Point) => void,
): Promise<LoadReport> =>
  withSimulator(
    plan,
    async (server, own) => {
      const { hook, exec, sandbox = DEFAULT_SANDBOX, metricsPort, metricsHost } = plan;
      const [first] = scenarios as [Scenario];
      const target = { ...server, sandbox };
      if (own === undefined) await ensureSandbox(target);
      else await begin(first, target);
      if (hook !== undefined) await pointWebhooksAt(hook, target);
      const tally = new Tally();
      const finish = new Finish();
      const started: (() => unknown)[] = [onFirstSignal(() => finish.come())];
      try {
        let ended: EndOfSystem | undefined;
        if (exec !== undefined) {
          const system = await startSystem(exec, first, target, plan, { handlesSignals: true });
          started.push(system.stop);
          void system.exited.then((end) => {
            ended = end;
            finish.come();
          });
        }
        if (metricsPort !== undefined) {
          const metrics = await serveMetrics(tally, metricsPort, metricsHost);
          started.push(() => metrics.close());
          err(`Prometheus metrics: ${metrics.url}\n`);
        }
        const { customers, arrivals = 0, for: forMs, ramp: rampMs, expect: expectations } = plan;
        const report = await playLoad({
          scenarios,
          target,
          model: customers === undefined ? { perSecond: arrivals } : { customers },
          forMs,
          rampMs,
          expectations,
          feed: feedOf(own, target),
          isOwnSimulator: own !== undefined,
          generator: randomDigits(5),
          tally,
          finish,
          onPoint,
        });
        return ended === undefined ? report : failedByEnd(report, ended);
      } finally {
        for (const end of started.reverse()) await end();
      }
    },
    { journalLimit: JOURNAL_LIMIT },
  );

const failedByEnd = (report: LoadReport, { message, seen }: EndOfSystem): LoadReport => ({
  ...report,
  ok: false,
  notes: [...report.notes, [message, ...seen].join("\n  ")],
});

/** The start for the scenario; deliveries are not ordered unless it says so. */
async function begin(scenario: Scenario, target: SandboxTarget): Promise<void> {
  await resetSandbox(scenario, target);
  const { behaviour } = scenario;
  if (isObject(behaviour) && Object.hasOwn(behaviour, "delivery.order")) return;
  await transportTo(target).call("PATCH", "/behaviour", { body: { "delivery.order": "none" } });
}

/** The events of a sandbox: observed in this process, or followed as a stream. */
function feedOf(own: Simulator | undefined, target: SandboxTarget): Feed {
  const sandbox = own?.registry.get(target.sandbox);
  return {
    matches: (log, match, entry) =>
      log === "requests"
        ? requestDifferences(match as RequestMatch, entry as RequestSubject).length === 0
        : deliveryDifferences(match as DeliveryMatch, entry as DeliverySubject).length === 0,
    open: async (logs, hear) => {
      if (sandbox === undefined)
        return follow(controlApi(target.url, target).ofSandbox(target.sandbox), logs, hear);
      const close = sandbox.observe({
        // It has ended, and this is its first event.
        request: (entry) => void (entry.open || entry.settled || hear("requests", entry)),
        ...(logs.has("deliveries") && {
          // The type of a delivery does not say which body belongs to which event.
          delivery: (delivery) => hear("deliveries", delivery as DeliveryRecord),
        }),
      });
      return { breaks: 0, close: () => void close() };
    },
  };
}

/** Follows the event stream of a sandbox, which reconnects if it breaks. */
async function follow(
  transport: Transport,
  logs: ReadonlySet<string>,
  hear: Parameters<Feed["open"]>[1],
): Promise<OpenFeed> {
  const controller = new AbortController();
  const { signal } = controller;
  const names = logs.has("deliveries") ? (["request", "delivery"] as const) : (["request"] as const);
  const feed = { breaks: 0, close: () => controller.abort() };
  await new Promise<void>((resolve, reject) => {
    const read = async () => {
      for (; !signal.aborted; feed.breaks += 1)
        for await (const events of eventBatches(transport, signal, names))
          for (const { event, data } of events) {
            if (event === "hello") resolve();
            if (event === "request" && data.durationMs !== null) hear("requests", data);
            if (event === "delivery") hear("deliveries", data);
          }
    };
    read().catch(reject);
  });
  return feed;
}
