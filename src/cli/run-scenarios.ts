/** The options of `run`, and its runs: each scenario in its own sandbox, or one after the other against a system under test. */
import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import type { Webhook } from "../client/types.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { mergedReports, reportSince } from "../lab/coverage/report.js";
import { sandboxToken, segment } from "../protocol/names.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { OutboundGuard } from "../sandbox/delivery/guard.js";
import { failedByRemarks, failedByWarnings, notBegun } from "../scenarios/evidence.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { ensureSandbox, ownSandbox, pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Report } from "../scenarios/report.js";
import { REPORTER_NAMES, REPORTERS } from "../scenarios/reporters.js";
import { type RunOptions, runScenario } from "../scenarios/run.js";
import { DEFAULT_MAX_STEPS } from "../scenarios/step.js";
import type { Simulator, SimulatorOptions } from "../server/simulator.js";
import {
  address,
  asText,
  baseAddress,
  controlToken,
  duration,
  flag,
  oneOf,
  optional,
  pairs,
  positive,
  type Values,
  withDefault,
  words,
} from "./command.js";
import { MIN_COVERAGE } from "./coverage.js";
import { NotReady, type SystemUnderTest, startSystem } from "./system-under-test.js";
import type { Terminal } from "./terminal.js";

/** How the system under test is reached and started. */
export const EXEC_OPTIONS = {
  hook: optional("address of the system under test: all webhooks point there", address),
  exec: optional("start the system under test with this command", asText),
  "ready-within": optional("time limit for its start (default: 15s)", duration(0)),
  ready: optional(
    "address that answers with success once it is ready (default: the port of --hook, else any output)",
    address,
  ),
};

/** The simulator, and the parameters of the scenarios. */
export const TARGET_OPTIONS = {
  url: optional("simulator to use (default: start one)", baseAddress),
  "control-token": controlToken("its control token"),
  param: pairs("scenario parameter as name=value (repeatable)"),
  out: optional("write the report to this file", asText),
};

/** Options about a program that is not started. @param names the given options */
export const execProblems = (
  exec: string | undefined,
  names: readonly string[],
  others: readonly string[] = [],
): Problem[] =>
  ["ready-within", "ready", ...others]
    .filter((name) => exec === undefined && names.includes(name))
    .map((name) => ({ path: `--${name}`, message: "requires --exec" }));

/** The options of `run`. */
export const RUN_OPTIONS = {
  scenario: words("scenario files, or folders of them"),
  jobs: optional("number of files to run at once (default: number of CPU cores)", positive),
  ...TARGET_OPTIONS,
  sandbox: optional("run in this sandbox, reset before each file", asText),
  ...EXEC_OPTIONS,
  keep: flag(
    "start the system under test once for all files; the sandbox is reset between them, and ids are never reused",
  ),
  reporter: withDefault(REPORTER_NAMES.join(", "), oneOf("reporter", REPORTERS), "pretty"),
  watch: flag("run again when a file changes"),
  "strict-scenario": flag(
    "fail on faults that never fired, unused captures and expectations met by older entries",
  ),
  "max-steps": optional(
    `maximum number of steps of a scenario, counting the rounds of a repeat (default: ${DEFAULT_MAX_STEPS})`,
    positive,
  ),
  coverage: flag("show which documented outcomes the system under test has met"),
  "coverage-out": optional("write the coverage to this file: .json, .md or .html", asText),
  min: MIN_COVERAGE,
  "fail-on-warnings": flag("fail on contract warnings"),
};
export type RunValues = Values<typeof RUN_OPTIONS>;

/** The options of `run`, and the environment of the system under test. */
type RunPlan = RunValues & Pick<Terminal, "env">;

interface RunEvents {
  /** Called with each report, in the order of the files. */
  readonly onReport: (report: Report) => void;
  readonly onProgress: (done: number) => void;
}

interface RanAll {
  readonly reports: readonly Report[];
  /** The output of the system under test in failed runs. */
  readonly output: string;
  /** Why the system under test did not come up: the remaining scenarios have failed with it. */
  readonly notReady?: NotReady | undefined;
  /** The coverage. */
  readonly coverage: CoverageReport;
}

/** Whether the command line says what is tested. */
const hasSystem = ({ hook, exec }: Pick<RunPlan, "hook" | "exec">): boolean =>
  hook !== undefined || exec !== undefined;

/** Runs a scenario, and applies the plan's further conditions to its report. */
async function runStrictly(
  scenario: Scenario,
  target: Target,
  plan: RunPlan,
  {
    system,
    ...options
  }: Pick<RunOptions, "reset" | "isConnected"> & { readonly system?: SystemUnderTest | undefined } = {},
): Promise<Report> {
  const report = await runScenario(scenario, target, {
    fresh: true,
    ...options,
    hasSystem: hasSystem(plan),
    ...omitUndefined({ maxSteps: plan.maxSteps, systemEnded: system?.exited }),
  });
  const checked = plan.strictScenario ? failedByRemarks(report) : report;
  return plan.failOnWarnings ? failedByWarnings(checked) : checked;
}

/** @throws UnusableScenario, NotReady, SimError */
export async function runAll(
  scenarios: readonly Scenario[],
  plan: RunPlan,
  events: RunEvents,
): Promise<RanAll> {
  const simulator = plan.url === undefined ? await ownSimulator(plan) : undefined;
  const server = serverOf(plan, simulator);
  const isShared = hasSystem(plan) || plan.sandbox !== undefined;
  try {
    if (isShared)
      return await oneByOne(scenarios, { ...server, sandbox: plan.sandbox ?? "default" }, plan, events);
    return await sideBySide(scenarios, server, plan, events);
  } finally {
    await simulator?.close();
  }
}

/** A simulator that ends with the command, and may call the system under test. */
export async function ownSimulator({ hook }: Pick<RunPlan, "hook">, options: SimulatorOptions = {}) {
  const { createSimulator } = await import("../server/simulator.js");
  const allowOutbound = hook === undefined ? undefined : [new URL(hook).hostname];
  return createSimulator({ ...options, ...omitUndefined({ allowOutbound }) });
}

/** The command's own simulator, or the one at an address. */
export const serverOf = (
  { url = "", controlToken }: Pick<RunPlan, "url" | "controlToken">,
  simulator: Simulator | undefined,
): Target => (simulator === undefined ? { url, controlToken } : { url: simulator.url, isOwn: true });

/** Each scenario in a new sandbox, several at once. */
async function sideBySide(
  scenarios: readonly Scenario[],
  server: Target,
  plan: RunPlan,
  { onReport, onProgress }: RunEvents,
): Promise<RanAll> {
  const limit = pLimit(plan.jobs ?? availableParallelism());
  let done = 0;
  const running = scenarios.map((scenario) =>
    limit(async () => {
      const ran = await inOwnSandbox(scenario, server, plan);
      onProgress((done += 1));
      return ran;
    }),
  );
  const settled = Promise.allSettled(running);
  const reports: Report[] = [];
  const coverage: CoverageReport[] = [];
  try {
    for (const each of running) {
      const ran = await each;
      reports.push(ran.report);
      coverage.push(ran.coverage);
      onReport(ran.report);
    }
  } finally {
    await settled;
  }
  return { reports, output: "", coverage: mergedReports(coverage) };
}

/** Runs a scenario in a sandbox that is created and deleted with it. */
async function inOwnSandbox(
  scenario: Scenario,
  server: Target,
  plan: RunPlan,
): Promise<{ readonly report: Report; readonly coverage: CoverageReport }> {
  const sandbox = await ownSandbox(scenario, server);
  try {
    return {
      report: await runStrictly(scenario, sandbox, plan, connectionOf(sandbox, plan)),
      coverage: await coverageIn(sandbox, plan),
    };
  } finally {
    await sandbox.dispose();
  }
}

/** All scenarios in one sandbox, which is reset before each; the system under test is restarted for each, or kept. */
async function oneByOne(
  scenarios: readonly Scenario[],
  target: Target & { readonly sandbox: string },
  plan: RunPlan,
  { onReport, onProgress }: RunEvents,
): Promise<RanAll> {
  const reports: Report[] = [];
  const report = (made: Report) => {
    reports.push(made);
    onReport(made);
    onProgress(reports.length);
  };
  let output = "";
  let notReady: NotReady | undefined;
  let system: SystemUnderTest | undefined;
  await ensureSandbox(target);
  const before = await coverageIn(target, plan);
  const connection = connectionOf(target, plan);
  try {
    for (const [at, scenario] of scenarios.entries()) {
      const reset = async () => {
        await resetSandbox(scenario, target, { apart: plan.hook !== undefined || plan.keep });
        if (plan.hook !== undefined) await pointWebhooksAt(plan.hook, target);
      };
      await reset();
      if (plan.exec !== undefined)
        try {
          system ??= await startFor(scenario, target, plan, plan.exec);
        } catch (error) {
          if (!(error instanceof NotReady)) throw error;
          notReady = error;
          for (const each of scenarios.slice(at)) report(notBegun(each, target.sandbox, error.message));
          break;
        }
      const run = await runStrictly(scenario, target, plan, { reset, system, ...connection });
      if (system !== undefined && (!plan.keep || at === scenarios.length - 1)) {
        await system.stop();
        const failed = plan.keep ? [...reports, run].some(({ ok }) => !ok) : !run.ok;
        if (failed) output += system.output();
        system = undefined;
      }
      report(run);
    }
  } finally {
    await system?.stop();
  }
  return { reports, output, notReady, coverage: reportSince(before, await coverageIn(target, plan)) };
}

/** Whether a webhook leads to a program, if the command line names none. Any program may call another simulator. */
function connectionOf(target: Target, plan: RunPlan): Pick<RunOptions, "isConnected"> {
  if (hasSystem(plan) || plan.url !== undefined) return {};
  const guard = new OutboundGuard([]);
  const leadsOut = ({ enabled, url }: Webhook) =>
    enabled &&
    URL.canParse(url) &&
    !url.startsWith("sink:") &&
    guard.objection(new URL(url).hostname) === null;
  const isConnected = async () =>
    (await transportTo(target).call<Webhook[]>("GET", "/data/webhooks")).some(leadsOut);
  return { isConnected };
}

/** The coverage of a sandbox since it was created; nothing unless the plan asks for it. */
async function coverageIn(
  { url, controlToken, sandbox }: Target & { readonly sandbox: string },
  { coverage, coverageOut, min }: RunPlan,
): Promise<CoverageReport> {
  if (!coverage && coverageOut === undefined && min === undefined) return mergedReports([]);
  return transportTo({ url, controlToken }).call("GET", `/sandboxes/${segment(sandbox)}/coverage`);
}

/** The options that start a system under test. */
type StartPlan = Pick<RunPlan, "env" | "hook" | "ready" | "readyWithin">;

/** Starts the system under test for a scenario, with the address and a token of the sandbox. @throws NotReady, SimError */
export async function startFor(
  scenario: Scenario,
  target: Target & { readonly sandbox: string },
  { env, hook, ready, readyWithin }: StartPlan,
  command: string,
  { handlesSignals = false }: { readonly handlesSignals?: boolean } = {},
): Promise<SystemUnderTest> {
  const tokens = await transportTo(target).call<{ id: string }[]>("GET", "/data/tokens");
  const token = scenario.token ?? tokens[0]?.id;
  if (token === undefined)
    throw new NotReady(`${scenario.name}: the fixture has no token for ${command}`, "");
  return startSystem(command, {
    hook,
    ready,
    readyWithin,
    handlesSignals,
    env: {
      ...env,
      MESSAGING_SIM_URL: target.url,
      MESSAGING_SIM_TOKEN: sandboxToken(target.sandbox, token),
    },
  });
}
