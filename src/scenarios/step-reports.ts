import { BOUNDS } from "../kernel/bounds.js";
import type { StepReport } from "./report.js";

/** So many reports of steps are listed one by one; beyond them the rounds of a `repeat` are put together. */
const MAX_LISTED = BOUNDS.stepReports.limit;

/** The reports of a run's steps, bounded however often a step is repeated. */
export class StepReports {
  readonly list: StepReport[] = [];
  /** Where the rounds of a step are put together, by the step and how they ended. */
  readonly #merged = new Map<string, number>();

  add(report: StepReport): void {
    if (report.rounds === undefined || this.list.length < MAX_LISTED) this.list.push(report);
    else this.#merge(report);
  }

  /** The first of the rounds stands for those after it that ended as it did. */
  #merge(report: StepReport): void {
    const key = `${report.place.path} ${report.ok}`;
    const index = this.#merged.get(key);
    const first = index === undefined ? undefined : this.list[index];
    if (index === undefined || first === undefined) {
      this.#merged.set(key, this.list.length);
      this.list.push(report);
      return;
    }
    const { durationMs = 0, moreRounds = 0 } = first;
    this.list[index] = {
      ...first,
      durationMs: durationMs + (report.durationMs ?? 0),
      moreRounds: moreRounds + 1,
    };
  }
}

/** Which round a report is of, and how many more it stands for: ` [3.1 and 20 more]`. */
export const roundsText = ({ rounds, moreRounds }: StepReport): string =>
  rounds === undefined
    ? ""
    : ` [${rounds.join(".")}${moreRounds === undefined ? "" : ` and ${moreRounds} more`}]`;
