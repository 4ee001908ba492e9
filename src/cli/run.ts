import { COVERAGE_REPORTERS } from "../coverage/reporters.js";
import { printableLines } from "../kernel/printable.js";
import { REPORTERS } from "../scenarios/reporters/index.js";
import { prettyReport, prettySummary } from "../scenarios/reporters/pretty.js";
import { shippedFixture } from "../simulator/start.js";
import { usesColor } from "./color.js";
import { command } from "./command.js";
import { judge } from "./coverage.js";
import { execProblems } from "./exec-options.js";
import { explain } from "./explain.js";
import { FileWatch } from "./file-watch.js";
import { RUN_OPTIONS, type RunValues } from "./run-options.js";
import { runAll } from "./run-scenarios.js";
import { readScenarios, startProblems } from "./scenario-files.js";
import { OK, refuse, type Terminal } from "./terminal.js";
import { reporterNamed, writeReport } from "./write-report.js";

/** Exit code: an expectation failed. */
const FAILED = 1;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** `messaging-sim run <scenario…>` (contract section 6). */
export const RUN = command({
  options: RUN_OPTIONS,
  examples: [
    ["messaging-sim run scenarios/", "every file of a folder, each against a simulator of its own"],
    [
      'messaging-sim run greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js"',
      "starts the system under test and lets it answer",
    ],
    ["messaging-sim run scenarios/ --reporter junit --out report.xml", "a report for CI"],
  ],
  exits: {
    0: "every scenario passed",
    1: "a scenario failed, or the system under test was not ready",
    2: "a file or an option is unusable, or no simulator answers",
  },
  problems: ({ exec }, names) => execProblems(exec, names, ["keep"]),
  run: async (values, terminal) => (values.watch ? watch(values, terminal) : once(values, terminal)),
});

/** Reads, runs and reports once; the exit code. `onRead` is told what the run reads. */
async function once(
  values: RunValues,
  terminal: Terminal,
  onRead: (files: readonly string[]) => void = () => {},
): Promise<number> {
  const { reporter, out } = values;
  const plan = { ...values, env: terminal.env };
  const { scenarios, files, problems } = await readScenarios(values.scenario, values.param);
  onRead(files);
  if (problems.length > 0) return refuse(terminal, problems);
  // Only the start of a simulator of one's own is known beforehand.
  const standard = plan.url === undefined ? await shippedFixture() : undefined;
  const unknown = await Promise.all(scenarios.map((scenario) => startProblems(scenario, standard)));
  if (unknown.flat().length > 0) return refuse(terminal, unknown.flat());
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const progress = !live && process.stderr.isTTY;
  try {
    const { reports, output, coverage } = await runAll(scenarios, plan, {
      onReport: (report) => void (live && terminal.out(`${prettyReport(report, { color })}\n`)),
      onProgress: (done) => void (progress && terminal.err(`\r${done} of ${scenarios.length} scenarios`)),
    });
    if (progress) terminal.err("\n");
    if (live) terminal.out(prettySummary(reports, { color }));
    else if (out === undefined) terminal.out(REPORTERS[reporter](reports));
    else {
      const problems = await writeReport("--out", out, REPORTERS[reporter](reports));
      if (problems.length > 0) return refuse(terminal, problems);
      terminal.out(prettySummary(reports, { color }));
    }
    if (values.coverage) (live ? terminal.out : terminal.err)(`\n${COVERAGE_REPORTERS.pretty(coverage)}`);
    const { coverageOut } = values;
    if (coverageOut !== undefined) {
      const text = COVERAGE_REPORTERS[reporterNamed(COVERAGE_REPORTERS, coverageOut)](coverage);
      const problems = await writeReport("--coverage-out", coverageOut, text);
      if (problems.length > 0) return refuse(terminal, problems);
    }
    const hasMet = judge(coverage, values.min, terminal) === OK;
    const code = hasMet && reports.every(({ ok }) => ok) ? OK : FAILED;
    if (code !== OK && output !== "")
      terminal.err(`Output of ${plan.exec}\n${printableLines(output.replace(/\n?$/, "\n"))}`);
    return code;
  } catch (error) {
    return explain(error, terminal);
  }
}

/** Runs again and again, until the process is ended. */
async function watch(values: RunValues, terminal: Terminal): Promise<number> {
  const watched = new FileWatch([]);
  for (;;) {
    const code = await once(values, terminal, (files) =>
      watched.follow(files.length > 0 ? files : values.scenario),
    );
    terminal.err("Watching for changes; Ctrl+C ends it.\n");
    if (!(await isChanged(watched))) return code;
  }
}

/** Resolves with true when a file has changed, with false when the process is asked to end. */
async function isChanged(watched: FileWatch): Promise<boolean> {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of SIGNALS) process.once(signal, end);
  const changed = await watched.changes(ended.signal);
  for (const signal of SIGNALS) process.removeListener(signal, end);
  return changed.size > 0;
}
