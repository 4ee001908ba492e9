/** Runs scenarios, each in a sandbox of its own, or one after the other against a system under test. */
import { availableParallelism } from "node:os";
import { sandboxToken, segment } from "../client/address.js";
import type { Webhook } from "../client/types.js";
import { mergedReports, reportSince } from "../coverage/report.js";
import { OutboundGuard } from "../delivery/guard.js";
import { given } from "../kernel/given.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { failedByRemarks, failedBySystem, failedByWarnings } from "../scenarios/evidence.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { ensureSandbox, ownSandbox, pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Report } from "../scenarios/report.js";
import { type RunOptions, runScenario } from "../scenarios/run.js";
import type { Simulator, SimulatorOptions } from "../simulator.js";
import type { RunValues } from "./run-options.js";
import { NotReady, type SystemUnderTest, startSystem } from "./system-under-test.js";
import type { Terminal } from "./terminal.js";

/** The options of `run`, and the environment of the system under test. */
type RunPlan = RunValues & Pick<Terminal, "env">;

interface RunEvents {
  /** Called with each report, in the order of the files. */
  readonly onReport: (report: Report) => void;
  readonly onProgress: (done: number) => void;
}

interface RanAll {
  readonly reports: readonly Report[];
  /** What the system under test wrote in the runs that failed. */
  readonly output: string;
  /** What it has met. */
  readonly coverage: CoverageReport;
}

/** Whether the command line says what is tested. */
const hasSystem = ({ hook, exec }: Pick<RunPlan, "hook" | "exec">): boolean =>
  hook !== undefined || exec !== undefined;

/** Runs a scenario, and fails its report by all that the plan says. */
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
    ...given({ maxSteps: plan.maxSteps, systemEnded: system?.exited }),
  });
  const tested = hasSystem(plan)
    ? await failedBySystem(report, scenario, transportTo(target), system?.exited)
    : report;
  const checked = plan.strictScenario ? failedByRemarks(tested) : tested;
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
  const { createSimulator } = await import("../simulator.js");
  const allowOutbound = hook === undefined ? undefined : [new URL(hook).hostname];
  return createSimulator({ ...options, ...given({ allowOutbound }) });
}

/** The simulator of a command's own, which is called within the process, or that of an address. */
export const serverOf = (
  { url = "", controlToken }: Pick<RunPlan, "url" | "controlToken">,
  simulator: Simulator | undefined,
): Target =>
  simulator === undefined ? { url, controlToken } : { url: simulator.url, agent: simulator.agent };

/** Each scenario in a new sandbox, several at once. */
async function sideBySide(
  scenarios: readonly Scenario[],
  server: Target,
  plan: RunPlan,
  { onReport, onProgress }: RunEvents,
): Promise<RanAll> {
  const reports: Report[] = [];
  const coverage: CoverageReport[] = [];
  let next = 0;
  let reported = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < scenarios.length) {
      const index = next;
      next += 1;
      const ran = await inOwnSandbox(scenarios[index] as Scenario, server, plan);
      reports[index] = ran.report;
      coverage.push(ran.coverage);
      onProgress((done += 1));
      for (let report = reports[reported]; report !== undefined; report = reports[++reported])
        onReport(report);
    }
  };
  const workers = Array.from(
    { length: Math.min(plan.jobs ?? availableParallelism(), scenarios.length) },
    worker,
  );
  const settled = await Promise.allSettled(workers);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return { reports, output: "", coverage: mergedReports(coverage) };
}

/** Runs a scenario in a sandbox that is made for it and goes with it. */
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
  let output = "";
  let system: SystemUnderTest | undefined;
  await ensureSandbox(target);
  const before = await coverageIn(target, plan);
  try {
    for (const scenario of scenarios) {
      const reset = async () => {
        await resetSandbox(scenario, target, { apart: plan.hook !== undefined || plan.keep });
        if (plan.hook !== undefined) await pointWebhooksAt(plan.hook, target);
      };
      await reset();
      if (plan.exec !== undefined) system ??= await startFor(scenario, target, plan, plan.exec);
      const report = await runStrictly(scenario, target, plan, {
        reset,
        system,
        ...connectionOf(target, plan),
      });
      reports.push(report);
      if (system !== undefined && (!plan.keep || reports.length === scenarios.length)) {
        await system.stop();
        const failed = plan.keep ? reports.some(({ ok }) => !ok) : !report.ok;
        if (failed) output += system.output();
        system = undefined;
      }
      onReport(report);
      onProgress(reports.length);
    }
  } finally {
    await system?.stop();
  }
  return { reports, output, coverage: reportSince(before, await coverageIn(target, plan)) };
}

/** Whether a webhook leads to a program, where nobody but the run's own simulator could lead one there. */
function connectionOf(target: Target, plan: RunPlan): Pick<RunOptions, "isConnected"> {
  if (plan.url !== undefined || hasSystem(plan)) return {};
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

/** What the system under test has met in a sandbox since it was made; nothing where the plan does not ask. */
async function coverageIn(
  { url, controlToken, sandbox }: Target & { readonly sandbox: string },
  { coverage, coverageOut, min }: RunPlan,
): Promise<CoverageReport> {
  if (!coverage && coverageOut === undefined && min === undefined) return mergedReports([]);
  return transportTo({ url, controlToken }).call("GET", `/sandboxes/${segment(sandbox)}/coverage`);
}

/** What starts a system under test: the options of a command. */
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
