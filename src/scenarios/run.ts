import { reasonOf } from "../kernel/errors.js";
import { masked } from "../kernel/masking.js";
import { omitUndefined } from "../kernel/objects.js";
import { elapsedSince, later, monotonicNow, onAbort } from "../kernel/realtime.js";
import { evidenceOf, failedByIdleFaults, failedBySystem, Gathered } from "./evidence.js";
import type { Target } from "./http.js";
import { Http, transportTo } from "./http.js";
import { tokenOf } from "./prepare.js";
import type { Scenario } from "./read.js";
import type { Report, StepReport } from "./report.js";
import type { RunnerOptions } from "./runner.js";
import { Runner } from "./runner.js";
import { expectsAnything } from "./step.js";

export interface RunOptions extends Pick<RunnerOptions, "reset" | "isConnected" | "beforeStep" | "onStep"> {
  /** Fails the running step after so much real time, and ends the run. */
  readonly timeoutMs?: number;
  /** Fails if the scenario causes deliveries, but a system under test neither answers one nor makes a call. */
  readonly hasSystem?: boolean;
  /** Resolves when the system under test exits: fails the running step, and ends the run. */
  readonly systemEnded?: Promise<Pick<StepReport, "message" | "seen">>;
  /** Ends the run: the running step fails with the signal's reason. Default: the target's. */
  readonly signal?: AbortSignal | undefined;
  /** The sandbox is new or was just reset, so its whole journal belongs to the run. */
  readonly fresh?: boolean;
}

/**
 * Runs a scenario in a sandbox in its present state, and reports. A failing step ends the run; later steps are reported as
 * skipped.
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
  options: RunOptions = {},
): Promise<Report> {
  const { fresh = false, timeoutMs, hasSystem = false, systemEnded, signal = target.signal } = options;
  const http = new Http(target);
  const token = await tokenOf(scenario, transportTo(target, http)).catch((error: unknown) => {
    http.close();
    throw error;
  });
  const run = new Runner({ ...scenario, ...omitUndefined({ token }) }, target, {
    ...options,
    http,
    beforeReset: () => gather(),
  });
  const gathered = new Gathered();
  const gather = async (ok = true) => {
    await gathered.warningsOf(run);
    if (hasSystem) await gathered.callsOf(run, ok ? run.within(undefined) : 0);
  };
  const started = monotonicNow();
  let isOver = false;
  let forget: (() => void) | undefined;
  try {
    await run.begin(fresh);
    forget = signal && onAbort(signal, () => isOver || run.interrupt(reasonOf(signal.reason)));
    void systemEnded?.then(({ message = "", seen }) => isOver || run.interrupt(message, seen));
    const timeout = () => run.interrupt(`the run took longer than ${timeoutMs} ms`);
    const timer = timeoutMs === undefined ? undefined : later(timeoutMs, timeout);
    const ok = await run.execute(scenario.steps).finally(() => timer?.cancel());
    isOver = true;
    const remarks = await run.remarks();
    await gather(ok);
    const report = failedByIdleFaults(
      masked({
        name: scenario.name,
        ...omitUndefined({ file: scenario.file }),
        ok,
        sandbox: run.sandbox,
        durationMs: elapsedSince(started, 2),
        steps: run.reports,
        ...(ok && !expectsAnything(scenario.steps) && { played: true }),
        remarks,
        ...(await evidenceOf(run, gathered, ok)),
      }) as Report,
    );
    const isCut = !ok && signal?.aborted;
    return hasSystem && !isCut ? await failedBySystem(report, run, gathered, systemEnded) : report;
  } finally {
    forget?.();
    http.close();
  }
}
