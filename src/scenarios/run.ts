import { given } from "../kernel/given.js";
import { monotonicNow } from "../kernel/realtime.js";
import { evidenceOf } from "./evidence.js";
import { Http } from "./http.js";
import type { Scenario } from "./read.js";
import type { Report } from "./report.js";
import type { RunnerOptions } from "./runner.js";
import { Runner, rounded } from "./runner.js";
import type { Target } from "./target.js";

interface RunOptions extends Pick<RunnerOptions, "reset"> {
  /** The sandbox is new or was just reset: everything in its journal belongs to the run. */
  readonly fresh?: boolean;
}

/**
 * Runs a scenario in a sandbox as that stands, and says how it went. A step that fails ends it; those after it are
 * reported as skipped.
 *
 * @example
 * const report = await runScenario(scenario, { url: sim.url, sandbox: "s1" });
 * if (!report.ok) console.log(report.steps.find(({ ok }) => !ok));
 *
 * @throws SimError when there is no simulator at the address
 */
export async function runScenario(
  scenario: Scenario,
  target: Target,
  { fresh = false, reset }: RunOptions = {},
): Promise<Report> {
  const http = new Http();
  const run = new Runner(scenario, target, {
    http,
    ...given({ reset }),
    explain: async (id) => (await import("./chain.js")).chainOf(run.transport, id).catch(() => []),
  });
  const started = monotonicNow();
  try {
    await run.begin(fresh);
    const ok = await run.execute(scenario.steps);
    const remarks = await run.remarks();
    const evidence = await evidenceOf(run, run.threads, ok);
    return {
      name: scenario.name,
      ...given({ file: scenario.file }),
      ok,
      sandbox: run.sandbox,
      durationMs: rounded(monotonicNow() - started),
      steps: run.reports,
      remarks,
      ...evidence,
    };
  } finally {
    http.close();
  }
}
