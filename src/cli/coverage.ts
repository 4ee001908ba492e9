import { keysOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { mergedReports, percentOf } from "../lab/coverage/report.js";
import { COVERAGE_REPORTERS, coverageLine } from "../lab/coverage/reporters.js";
import { segment } from "../protocol/names.js";
import { type CoverageReport, coverageSchema } from "../sandbox/coverage.js";
import { transportTo } from "../scenarios/http.js";
import { asText, command, oneOf, optional, optionalWords, percent } from "./command.js";
import { REMOTE } from "./control-commands.js";
import { printOrWrite, readDocument, reporterNamed } from "./files.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** Reads the output of `coverage --reporter json`. */
async function readCoverage(
  files: readonly string[],
): Promise<{ readonly reports: readonly CoverageReport[]; readonly problems: readonly Problem[] }> {
  const validate = createAjv().compile<CoverageReport>(coverageSchema);
  const reports: CoverageReport[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const document = await readDocument(file);
    if (document.problems !== undefined) problems.push(...document.problems);
    else if (validate(document.value)) reports.push(document.value);
    else problems.push(...document.locate(schemaProblems(validate.errors, document.value, [])));
  }
  return { reports, problems };
}

/** Exit code: the coverage is below `--min`. */
const TOO_LITTLE = 1;

const { json: _, sandbox: __, ...REMOTE_OPTIONS } = REMOTE;

export const MIN_COVERAGE = optional(
  "minimum percentage of outcomes met: below it, the exit code is 1",
  percent,
);

/** `messaging-sim coverage [file…]`: of a running simulator, or of saved reports. */
export const COVERAGE = command({
  options: {
    file: optionalWords("reports written with --reporter json, merged, instead of a running simulator"),
    reporter: optional(
      `${keysOf(COVERAGE_REPORTERS).join(", ")} (default: by the extension of --out, else pretty)`,
      oneOf("reporter", COVERAGE_REPORTERS),
    ),
    out: optional("write the report to this file", asText),
    min: MIN_COVERAGE,
    sandbox: optional("only this sandbox (default: all)", asText),
    ...REMOTE_OPTIONS,
  },
  examples: {
    "messaging-sim coverage": "coverage of all sandboxes of a running simulator",
    "messaging-sim coverage --min 0 --out job.json":
      "for CI: a report, and exit code 1 if too few outcomes were met",
    "messaging-sim coverage job.json job.json --out all.html":
      "coverage of parallel jobs together, as an HTML page",
  },
  exits: {
    0: "enough outcomes were met",
    1: "fewer outcomes were met than --min requires",
    2: "the simulator does not answer, or a file is unusable",
  },
  run: async (values, terminal) => {
    const { file, reporter, out, min, sandbox } = values;
    const tell = async (report: CoverageReport) => {
      const name = reporter ?? reporterNamed(COVERAGE_REPORTERS, out);
      if (!(await printOrWrite(COVERAGE_REPORTERS[name](report), out, terminal))) return UNUSABLE;
      return judge(report, min, terminal);
    };
    const path = sandbox === undefined ? "/coverage" : `/sandboxes/${segment(sandbox)}/coverage`;
    if (file.length === 0) {
      const { url, controlToken } = values;
      return tell(await transportTo({ url, controlToken }).call("GET", path));
    }
    const { reports, problems } = await readCoverage(file);
    return problems.length > 0 ? refuse(terminal, problems) : tell(mergedReports(reports));
  },
});

/** The exit code: whether the coverage is sufficient. */
export function judge(report: CoverageReport, min: number | undefined, { err }: Terminal): number {
  if (min === undefined || percentOf(report) >= min) return OK;
  err(`${coverageLine(report)}: less than ${min} %\n`);
  return TOO_LITTLE;
}
