import { mergedReports, percentOf } from "../coverage/report.js";
import { COVERAGE_REPORTERS, coverageLine } from "../coverage/reporters.js";
import { keysOf } from "../kernel/keys.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { command } from "./command.js";
import { readCoverage } from "./coverage-files.js";
import { asText, oneOf, optional, optionalWords, percent } from "./options.js";
import { REMOTE, withClient } from "./remote.js";
import { OK, refuse, type Terminal } from "./terminal.js";
import { reporterNamed, writeReport } from "./write-report.js";

/** Exit code: less was met than `--min` asks for. */
const TOO_LITTLE = 1;

const { json: _, ...REMOTE_OPTIONS } = REMOTE;

export const MIN_COVERAGE = optional(
  "end with exit code 1 where fewer per cent of the outcomes were met",
  percent,
);

/** `messaging-sim coverage [file…]` (contract section 10): of a running simulator, or of reports that were written before. */
export const COVERAGE = command({
  options: {
    file: optionalWords("reports of --reporter json, which are added up, in place of a running simulator"),
    reporter: optional(
      `${keysOf(COVERAGE_REPORTERS).join(", ")} (default: as the name of --out says, else pretty)`,
      oneOf("reporter", COVERAGE_REPORTERS),
    ),
    out: optional("write the report into this file", asText),
    min: MIN_COVERAGE,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ["messaging-sim coverage", "of all sandboxes of a running simulator"],
    [
      "messaging-sim coverage --min 0 --out job.json",
      "for CI: a report, and exit code 1 where too little was met",
    ],
    ["messaging-sim coverage job.json job.json --out all.html", "of parallel jobs together, as a page"],
  ],
  exits: {
    0: "enough was met",
    1: "less was met than --min asks for",
    2: "no simulator answers, or a file is unusable",
  },
  run: async (values, terminal) => {
    const { file, reporter, out, min } = values;
    const tell = async (report: CoverageReport) => {
      if (out === undefined) terminal.out(COVERAGE_REPORTERS[reporter ?? "pretty"](report));
      else {
        const text = COVERAGE_REPORTERS[reporter ?? reporterNamed(COVERAGE_REPORTERS, out)](report);
        const problems = await writeReport("--out", out, text);
        if (problems.length > 0) return refuse(terminal, problems);
      }
      return judge(report, min, terminal);
    };
    if (file.length === 0)
      return withClient({ ...values, json: false }, terminal, async (client) =>
        tell(await client.coverage()),
      );
    const { reports, problems } = await readCoverage(file);
    return problems.length > 0 ? refuse(terminal, problems) : tell(mergedReports(reports));
  },
});

/** The exit code: whether enough was met. */
export function judge(report: CoverageReport, min: number | undefined, { err }: Terminal): number {
  if (min === undefined || percentOf(report) >= min) return OK;
  err(`${coverageLine(report)}: less than ${min} %\n`);
  return TOO_LITTLE;
}
