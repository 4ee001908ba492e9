/** `messaging-sim run`: each scenario in its own sandbox, or one after the other against a system under test. */
import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { isOutside } from "../client/log-entries.js";
import type { Webhook } from "../client/types.js";
import { DEFAULT_SANDBOX } from "../kernel/names.js";
import { omitUndefined } from "../kernel/objects.js";
import { printableLines } from "../kernel/printable.js";
import { reportSince } from "../lab/coverage/report.js";
import { COVERAGE_REPORTERS } from "../lab/coverage/reporters.js";
import { OutboundGuard } from "../sandbox/delivery/target.js";
import { failedByWarnings, notBegun } from "../scenarios/evidence.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { ensureSandbox, ownSandbox, pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Report } from "../scenarios/report.js";
import { prettyReport, prettySummary, REPORTERS } from "../scenarios/reporters.js";
import { type RunOptions, runScenario } from "../scenarios/run.js";
import {
  asText,
  command,
  flag,
  flagOrFile,
  optional,
  positive,
  reportersOrByFile,
  type Values,
  words,
} from "./command.js";
import { coverageOf, judge, MIN_COVERAGE } from "./coverage.js";
import { FileWatch, printOrWrite, reporterNamed } from "./files.js";
import { explain, readRunnable } from "./scenario-files.js";
import {
  EXEC_OPTIONS,
  execProblems,
  NotReady,
  type Plan,
  type SandboxTarget,
  type SystemUnderTest,
  startSystem,
  TARGET_OPTIONS,
  withSimulator,
} from "./system-under-test.js";
import { FAILED, INTERRUPTED, interruptible, OK, refuse, type Terminal, usesColor } from "./terminal.js";

/** The options of `run`. */
export const RUN_OPTIONS = {
  scenario: words("scenario files, or folders of them"),
  jobs: optional("number of files to run at once (default: number of CPU cores)", positive),
  ...TARGET_OPTIONS,
  sandbox: optional("sandbox to run in, reset before each file", asText),
  ...EXEC_OPTIONS,
  reporter: reportersOrByFile(REPORTERS),
  watch: flag("run again when a file changes"),
  coverage: flagOrFile(
    "show which API responses and events your program has handled; --coverage=FILE writes it (.json or .md), too",
  ),
  min: MIN_COVERAGE,
  "fail-on-warnings": flag("fail on contract warnings"),
};

type RunPlan = Values<typeof RUN_OPTIONS> & Plan;

/** `messaging-sim run <scenario…>`. */
export const RUN = command({
  options: RUN_OPTIONS,
  problems: execProblems,
  examples: {
    "messaging-sim run scenarios/": "every file of a folder, each in its own sandbox",
    'messaging-sim run greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js"':
      "starts your program and tests its replies",
    "messaging-sim run scenarios/ --out report.xml": "a report for CI",
  },
  exits: {
    0: "every scenario passed",
    1: "a scenario failed, or your program was not ready",
    2: "a file or option is invalid, or the simulator does not respond",
    130: "a signal interrupted it; a second signal stops it immediately",
  },
  run: (values, terminal) =>
    interruptible(async (signal) => {
      const plan = { ...values, env: terminal.env, signal };
      if (!values.watch) return once(plan, terminal);
      const watched = new FileWatch([]);
      for (;;) {
        const code = await once(plan, terminal, (files) =>
          // A folder changes when a file in it comes or goes.
          watched.follow([...files, ...values.scenario]),
        ).catch((error) => explain(error, terminal));
        if (signal.aborted) return code;
        terminal.err("Watching for changes. Press Ctrl+C to stop.\n");
        const changed = await watched.changes(signal);
        if (changed.size === 0) return code;
      }
    }),
});

/** Reads, runs and reports once; returns the exit code. `onRead` gets the files of the run. */
async function once(
  plan: RunPlan,
  terminal: Terminal,
  onRead?: (files: readonly string[]) => void,
): Promise<number> {
  const { out, reporter = reporterNamed(REPORTERS, out) } = plan;
  const { scenarios, files, problems } = await readRunnable(plan);
  onRead?.(files);
  if (problems.length > 0) return refuse(terminal, problems);
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const reports: Report[] = [];
  const onReport = (report: Report) => {
    reports.push(report);
    if (live) terminal.out(`${prettyReport(report, { color })}\n`);
  };
  const { ran, coverage } = await withSimulator(plan, async (server) => {
    const read = () => (plan.coverage !== false || plan.min !== undefined ? coverageOf(server) : undefined);
    const before = await read();
    const { sandbox } = plan;
    const ran =
      hasSystem(plan) || sandbox !== undefined
        ? await oneByOne(scenarios, { ...server, sandbox: sandbox ?? DEFAULT_SANDBOX }, plan, onReport)
        : await sideBySide(scenarios, server, plan, onReport);
    const after = await read();
    return { ran, coverage: before && after && reportSince(before, after) };
  });
  const { output = "", notReady } = ran;
  const isCut = plan.signal.aborted;
  const summary = prettySummary(reports, { color });
  await printOrWrite(live ? summary : REPORTERS[reporter](reports), out, terminal);
  if (out !== undefined) terminal.out(summary);
  if (coverage !== undefined && plan.coverage !== false)
    (live ? terminal.out : terminal.err)(`\n${COVERAGE_REPORTERS.pretty(coverage)}`);
  if (coverage !== undefined && typeof plan.coverage === "string") {
    const met = COVERAGE_REPORTERS[reporterNamed(COVERAGE_REPORTERS, plan.coverage)](coverage);
    await printOrWrite(met, plan.coverage, terminal, "--coverage");
  }
  if (isCut) {
    terminal.err(`Interrupted: ${reports.length} of ${scenarios.length} scenarios were begun\n`);
    return INTERRUPTED;
  }
  if (notReady !== undefined) return explain(notReady, terminal);
  const hasMet = coverage === undefined || judge(coverage, plan.min, terminal) === OK;
  if (hasMet && reports.every(({ ok }) => ok)) return OK;
  if (output !== "") terminal.err(`Output of ${plan.exec}\n${printableLines(output.replace(/\n?$/, "\n"))}`);
  return FAILED;
}

/** Is called with each report, in the order of the files. */
type OnReport = (report: Report) => void;

interface Ran {
  /** The output of the system under test in failed runs. */
  readonly output?: string;
  /** Why the system under test did not come up: the remaining scenarios have failed with it. */
  readonly notReady?: NotReady | undefined;
}

/** Whether the command line says what is tested. */
const hasSystem = ({ hook, exec }: RunPlan): boolean => hook !== undefined || exec !== undefined;

/** Each scenario in a new sandbox, several at once. */
async function sideBySide(
  scenarios: readonly Scenario[],
  server: Target,
  plan: RunPlan,
  onReport: OnReport,
): Promise<Ran> {
  const limit = pLimit(plan.jobs ?? availableParallelism());
  const running = scenarios.map((scenario) =>
    limit(async () => {
      if (plan.signal.aborted) return undefined;
      const sandbox = await ownSandbox(scenario, server);
      try {
        return await runStrictly(scenario, sandbox, plan);
      } finally {
        await sandbox.dispose();
      }
    }),
  );
  const settled = Promise.allSettled(running);
  try {
    for (const each of running) {
      const report = await each;
      if (report !== undefined) onReport(report);
    }
  } finally {
    await settled;
  }
  return {};
}

/** All scenarios in one sandbox, which is reset before each; the system under test is started for each. */
async function oneByOne(
  scenarios: readonly Scenario[],
  target: SandboxTarget,
  plan: RunPlan,
  onReport: OnReport,
): Promise<Ran> {
  let output = "";
  let notReady: NotReady | undefined;
  await ensureSandbox(target);
  for (const scenario of scenarios) {
    if (plan.signal.aborted) break;
    const reset = async () => {
      await resetSandbox(scenario, target, { apart: plan.hook !== undefined });
      if (plan.hook !== undefined) await pointWebhooksAt(plan.hook, target);
    };
    let system: SystemUnderTest | undefined;
    if (notReady === undefined)
      try {
        await reset();
        if (plan.exec !== undefined) system = await startSystem(plan.exec, scenario, target, plan);
      } catch (error) {
        if (error === plan.signal.reason) break;
        if (!(error instanceof NotReady)) throw error;
        notReady = error;
      }
    const report =
      notReady === undefined
        ? await runStrictly(scenario, target, plan, { reset, system }).finally(() => system?.stop())
        : notBegun(scenario, target.sandbox, notReady.message);
    if (system !== undefined && !report.ok) output += system.output();
    onReport(report);
  }
  return { output, notReady };
}

/** Runs a scenario, and applies the plan's further conditions to its report. */
async function runStrictly(
  scenario: Scenario,
  target: SandboxTarget,
  plan: RunPlan,
  { system, ...reset }: Pick<RunOptions, "reset"> & { readonly system?: SystemUnderTest | undefined } = {},
): Promise<Report> {
  // Any program may call a simulator that was not started for the run.
  const mayCall = hasSystem(plan) || plan.url !== undefined;
  const report = await runScenario(scenario, target, {
    fresh: true,
    ...reset,
    hasSystem: hasSystem(plan),
    signal: plan.signal,
    ...omitUndefined({ systemEnded: system?.exited }),
    ...(!mayCall && { isConnected: () => isConnected(target) }),
  });
  return plan.failOnWarnings ? failedByWarnings(report) : report;
}

/** Whether a webhook leads to a program. */
async function isConnected(target: SandboxTarget): Promise<boolean> {
  const guard = new OutboundGuard([]);
  const webhooks = await transportTo(target).call<Webhook[]>("GET", "/data/webhooks");
  return webhooks
    .filter((one) => one.enabled && isOutside(one) && URL.canParse(one.url))
    .some(({ url }) => guard.objection(new URL(url).hostname) === null);
}
