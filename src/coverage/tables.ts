import type { CoverageReport } from "../sandbox/coverage.js";
import { percentOf } from "./report.js";

/** One row of any of the tables. */
export interface CoverageLine {
  readonly name: string;
  readonly met: number;
  readonly section: string;
  readonly snippet?: string | undefined;
}

/** The rows of an operation, or of all events. */
export interface CoverageTable {
  readonly title: string;
  readonly lines: readonly CoverageLine[];
}

export const tablesOf = ({ operations, events }: CoverageReport): CoverageTable[] => [
  ...operations.map(({ operation, outcomes }) => ({
    title: operation,
    lines: outcomes.map(({ outcome, status, ...rest }) => ({ name: `${status} ${outcome}`, ...rest })),
  })),
  {
    title: "events",
    lines: events.map(({ event, cause, legacy, ...rest }) => ({
      name: `${event} (${cause}${legacy ? ", legacy" : ""})`,
      ...rest,
    })),
  },
];

/** `coverage: 12 of 178 outcomes met, 6.7 %` */
export const coverageLine = (report: CoverageReport): string =>
  `coverage: ${report.met} of ${report.total} outcomes met, ${percentOf(report).toFixed(1)} %`;
