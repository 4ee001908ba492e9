import { signal } from "@preact/signals";
import type { Report } from "./types";

/** A report, and where the calls that it names are: ids begin again with each run of a sandbox. */
export interface KeptReport {
  readonly report: Report;
  /** The number of the sandbox's run; null where it is not known. */
  readonly run: number | null;
}

/** A scenario that was run from this page. */
export type ScenarioRun = KeptReport | "running" | Error;

const KEY = "messaging-sim.reports";
/** So many reports outlive a reload, those that ended last. */
const MAX_KEPT = 20;

/** The scenarios that were run from this tab, by name. Reports outlive a reload and a change of sandbox. */
export class Runs {
  readonly #runs = signal<ReadonlyMap<string, ScenarioRun>>(kept());

  get all(): ReadonlyMap<string, ScenarioRun> {
    return this.#runs.value;
  }

  set(name: string, run: ScenarioRun): void {
    const runs = new Map(this.#runs.peek());
    runs.delete(name);
    this.#runs.value = runs.set(name, run);
    const ended = [...runs].filter(([, one]) => one !== "running" && !(one instanceof Error));
    keep(ended.slice(-MAX_KEPT));
  }
}

function kept(): ReadonlyMap<string, ScenarioRun> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Map();
  }
}

/** Keeps as many of the newest as the browser has room for. */
function keep(runs: readonly unknown[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(runs));
  } catch {
    if (runs.length > 0) keep(runs.slice(1));
  }
}
