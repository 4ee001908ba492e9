import { printableLines } from "../../kernel/printable.js";
import type { Report } from "../report.js";
import { junitReports } from "./junit.js";
import { prettyReports } from "./pretty.js";
import { tapReports } from "./tap.js";

/** Prints the reports of a whole run. */
type Reporter = (reports: readonly Report[]) => string;

/** One shape for one or many files (contract section 6). */
const jsonReports: Reporter = (reports) =>
  printableLines(`${JSON.stringify({ ok: reports.every(({ ok }) => ok), scenarios: reports }, null, 2)}\n`);

export const REPORTERS = {
  pretty: (reports) => prettyReports(reports),
  tap: tapReports,
  junit: junitReports,
  json: jsonReports,
} as const satisfies Readonly<Record<string, Reporter>>;
type ReporterName = keyof typeof REPORTERS;
export const REPORTER_NAMES = Object.keys(REPORTERS) as ReporterName[];
