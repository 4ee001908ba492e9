import { segment } from "../kernel/names.js";
import { usedIn } from "../lab/coverage/report.js";
import { COVERAGE_REPORTERS, coverageLine } from "../lab/coverage/reporters.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { REMOTE } from "./action.js";
import { asText, command, optional, percent, reportersOrByFile } from "./command.js";
import { printOrWrite, reporterNamed } from "./files.js";
import { FAILED, OK, type Terminal } from "./terminal.js";

const { json: _, sandbox: __, ...REMOTE_OPTIONS } = REMOTE;

export const MIN_COVERAGE = optional(
  "minimum percentage handled of the outcomes of operations and events that are used: below it, the exit code is 1",
  percent,
);

/** `messaging-sim coverage`: of a running simulator. */
export const COVERAGE = command({
  options: {
    reporter: reportersOrByFile(COVERAGE_REPORTERS),
    out: optional("write the report to this file", asText),
    min: MIN_COVERAGE,
    sandbox: optional("only this sandbox (default: all)", asText),
    ...REMOTE_OPTIONS,
  },
  examples: {
    "messaging-sim coverage": "coverage of all sandboxes of a running simulator",
    "messaging-sim coverage --min 0 --out coverage.md":
      "for CI: a report, and exit code 1 if too few outcomes were handled",
  },
  exits: {
    0: "enough outcomes were handled",
    1: "fewer outcomes were handled than --min requires",
    2: "the simulator does not respond",
  },
  run: async ({ reporter, out, min, sandbox, url, controlToken }, terminal) => {
    const report = await coverageOf({ url, controlToken }, sandbox);
    const name = reporter ?? reporterNamed(COVERAGE_REPORTERS, out);
    await printOrWrite(COVERAGE_REPORTERS[name](report), out, terminal);
    return judge(report, min, terminal);
  },
});

/** The coverage of a sandbox, or of all sandboxes together. @throws SimError */
export const coverageOf = (server: Target, sandbox?: string): Promise<CoverageReport> =>
  transportTo(server).call(
    "GET",
    sandbox === undefined ? "/coverage" : `/sandboxes/${segment(sandbox)}/coverage`,
  );

/** The exit code: whether the coverage is sufficient. */
export function judge(report: CoverageReport, min: number | undefined, { err }: Terminal): number {
  if (min === undefined || usedIn(report).percent >= min) return OK;
  err(`${coverageLine(report)}: less than ${min} %\n`);
  return FAILED;
}
