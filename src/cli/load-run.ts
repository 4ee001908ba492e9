/** Starts what a load needs, plays it, and ends what was started. */
import { DEFAULT_SANDBOX } from "../client/address.js";
import { controlApi } from "../client/transport.js";
import { isObject } from "../kernel/json.js";
import { randomDigits } from "../kernel/secret.js";
import { Finish } from "../load/arrivals.js";
import type { Feed } from "../load/customer.js";
import { serveMetrics } from "../load/metrics.js";
import { playLoad } from "../load/play.js";
import type { LoadReport, Point } from "../load/report.js";
import { Tally } from "../load/tally.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { ensureSandbox, pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Simulator } from "../simulator.js";
import { observedFeed, streamedFeed } from "./load-feed.js";
import type { LoadValues } from "./load-options.js";
import { ownSimulator, serverOf, startFor } from "./run-scenarios.js";
import type { EndOfSystem } from "./system-under-test.js";
import type { Terminal } from "./terminal.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Calls and deliveries that a simulator of its own keeps: the load reads none of them later. */
const JOURNAL_LIMIT = 100;

/** @throws UnusableScenario, NotReady, SimError */
export async function startLoad(
  scenarios: readonly Scenario[],
  values: LoadValues,
  { env, err }: Pick<Terminal, "env" | "err">,
  onPoint: (point: Point) => void,
): Promise<LoadReport> {
  const { hook, exec, url, sandbox = DEFAULT_SANDBOX } = values;
  const [first] = scenarios as [Scenario];
  const finish = new Finish();
  const started: (() => unknown)[] = [];
  try {
    const simulator =
      url === undefined ? await ownSimulator({ hook }, { journalLimit: JOURNAL_LIMIT }) : undefined;
    started.push(() => simulator?.close());
    const target = { ...serverOf(values, simulator), sandbox };
    if (simulator === undefined) await ensureSandbox(target);
    else await begin(first, target);
    if (hook !== undefined) await pointWebhooksAt(hook, target);
    started.push(onSignals(() => finish.come()));
    let ended: EndOfSystem | undefined;
    if (exec !== undefined) {
      const system = await startFor(first, target, { ...values, env }, exec, { handlesSignals: true });
      started.push(() => system.stop());
      void system.exited.then((end) => {
        ended = end;
        finish.come();
      });
    }
    const { metricsPort, metricsHost } = values;
    const tally = new Tally();
    if (metricsPort !== undefined) {
      const metrics = await serveMetrics(tally, metricsPort, metricsHost);
      started.push(() => metrics.close());
      err(`Figures for Prometheus: ${metrics.url}\n`);
    }
    const { customers, arrivals = 0, for: forMs, ramp: rampMs, expect: expectations } = values;
    const report = await playLoad({
      scenarios,
      target,
      model: customers === undefined ? { perSecond: arrivals } : { customers },
      forMs,
      rampMs,
      expectations,
      feed: feedOf(simulator, target),
      isOwnSimulator: simulator !== undefined,
      generator: randomDigits(5),
      tally,
      finish,
      onPoint,
    });
    return ended === undefined ? report : failedByEnd(report, ended);
  } finally {
    for (const end of started.reverse()) await end();
  }
}

const failedByEnd = (report: LoadReport, { message, seen }: EndOfSystem): LoadReport => ({
  ...report,
  ok: false,
  notes: [...report.notes, [message, ...seen].join("\n  ")],
});

/** What the scenario starts from; deliveries go as they come, unless it says how. */
async function begin(scenario: Scenario, target: Target): Promise<void> {
  await resetSandbox(scenario, target);
  const { behaviour } = scenario;
  if (isObject(behaviour) && Object.hasOwn(behaviour, "delivery.order")) return;
  await transportTo(target).call("PATCH", "/behaviour", { body: { "delivery.order": "none" } });
}

function feedOf(simulator: Simulator | undefined, target: Target & { readonly sandbox: string }): Feed {
  const sandbox = simulator?.registry.get(target.sandbox);
  return sandbox === undefined
    ? streamedFeed(controlApi(target.url, target).ofSandbox(target.sandbox))
    : observedFeed(sandbox);
}

/** The first signal ends the load, which still tells what was; the second one ends the process. */
function onSignals(end: () => void): () => void {
  let isEnding = false;
  const onSignal = (_signal: NodeJS.Signals, number: number) => {
    if (isEnding) process.exit(128 + number);
    isEnding = true;
    end();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
}
