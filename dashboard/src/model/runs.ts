import { signal } from "@preact/signals";
import type { Report, StepReport } from "./types";

/** A report, and where the calls that it names are: ids begin again with each run of a sandbox. */
export interface KeptReport {
  readonly report: Report;
  /** The number of the sandbox's run; null where it is not known. */
  readonly run: number | null;
  /** Whether the sandbox was made for it. */
  readonly own: boolean;
}

/** A run that is under way. */
interface RunningScenario {
  readonly own: boolean;
  /** How many steps have ended, and the newest of them. */
  readonly done: number;
  readonly steps: readonly StepReport[];
  readonly stop: AbortController;
}

/** A scenario that was run from this page. */
type ScenarioRun = KeptReport | RunningScenario | Error;

export const isRunning = (run: ScenarioRun | undefined): run is RunningScenario =>
  run !== undefined && "stop" in run;
export const isEnded = (run: ScenarioRun | undefined): run is KeptReport =>
  run !== undefined && "report" in run;

/** So many steps show while a scenario runs. */
const MAX_STEPS = 100;

/** The scenarios that were run from this tab, by name. Reports outlive a change of sandbox. */
export class Runs {
  readonly #runs = signal<ReadonlyMap<string, ScenarioRun>>(new Map());

  /** Whether scenarios run in the sandbox that is shown, in place of one of their own. */
  readonly here = signal(false);
  /** The sandbox that was made for the newest run, while it can be looked at. */
  kept: string | null = null;

  get byName(): ReadonlyMap<string, ScenarioRun> {
    return this.#runs.value;
  }

  set(name: string, run: ScenarioRun): void {
    this.#runs.value = new Map(this.#runs.peek()).set(name, run);
  }

  /** Adds steps that have ended to a run that is under way. */
  addSteps(name: string, added: readonly StepReport[]): void {
    const run = this.#runs.peek().get(name);
    if (!isRunning(run)) return;
    const steps = [...run.steps, ...added].slice(-MAX_STEPS);
    this.#runs.value = new Map(this.#runs.peek()).set(name, { ...run, steps, done: run.done + added.length });
  }
}
