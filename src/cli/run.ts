import { printableLines } from "../kernel/printable.js";
import { COVERAGE_REPORTERS } from "../lab/coverage/reporters.js";
import { prettyReport, prettySummary, REPORTERS } from "../scenarios/reporters.js";
import { command } from "./command.js";
import { judge } from "./coverage.js";
import { FileWatch } from "./file-watch.js";
import { printOrWrite, reporterNamed } from "./files.js";
import { execProblems, RUN_OPTIONS, type RunValues, runAll } from "./run-scenarios.js";
import { explain, readRunnable } from "./scenario-files.js";
import { OK, onFirstSignal, refuse, type Terminal, UNUSABLE, usesColor } from "./terminal.js";

/** Exit code: an expectation failed. */
const FAILED = 1;

/** `messaging-sim run <scenario…>`. */
export const RUN = command({
  options: RUN_OPTIONS,
  examples: [
    ["messaging-sim run scenarios/", "every file of a folder, each in a sandbox of its own"],
    [
      'messaging-sim run greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js"',
      "starts the system under test and tests its replies",
    ],
    ["messaging-sim run scenarios/ --reporter junit --out report.xml", "a report for CI"],
  ],
  exits: {
    0: "every scenario passed",
    1: "a scenario failed, or the system under test was not ready",
    2: "a file or option is unusable, or the simulator does not answer",
  },
  problems: ({ exec }, names) => execProblems(exec, names, ["keep"]),
  run: async (values, terminal) => (values.watch ? watch(values, terminal) : once(values, terminal)),
});

/** Reads, runs and reports once; returns the exit code. `onRead` gets the files of the run. */
async function once(
  values: RunValues,
  terminal: Terminal,
  onRead: (files: readonly string[]) => void = () => {},
): Promise<number> {
  const { reporter, out } = values;
  const plan = { ...values, env: terminal.env };
  const { scenarios, files, problems } = await readRunnable(values);
  onRead(files);
  if (problems.length > 0) return refuse(terminal, problems);
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const progress = !live && process.stderr.isTTY;
  const { reports, output, notReady, coverage } = await runAll(scenarios, plan, {
    onReport: (report) => void (live && terminal.out(`${prettyReport(report, { color })}\n`)),
    onProgress: (done) => void (progress && terminal.err(`\r${done} of ${scenarios.length} scenarios`)),
  });
  if (progress) terminal.err("\n");
  const summary = prettySummary(reports, { color });
  const text = live ? summary : REPORTERS[reporter](reports);
  if (!(await printOrWrite(text, out, terminal))) return UNUSABLE;
  if (out !== undefined) terminal.out(summary);
  if (values.coverage) (live ? terminal.out : terminal.err)(`\n${COVERAGE_REPORTERS.pretty(coverage)}`);
  const { coverageOut } = values;
  if (coverageOut !== undefined) {
    const met = COVERAGE_REPORTERS[reporterNamed(COVERAGE_REPORTERS, coverageOut)](coverage);
    if (!(await printOrWrite(met, coverageOut, terminal, "--coverage-out"))) return UNUSABLE;
  }
  if (notReady !== undefined) return explain(notReady, terminal);
  const hasMet = judge(coverage, values.min, terminal) === OK;
  const code = hasMet && reports.every(({ ok }) => ok) ? OK : FAILED;
  if (code !== OK && output !== "")
    terminal.err(`Output of ${plan.exec}\n${printableLines(output.replace(/\n?$/, "\n"))}`);
  return code;
}

/** Runs again whenever a file changes, until the process is asked to end. */
async function watch(values: RunValues, terminal: Terminal): Promise<number> {
  const watched = new FileWatch([]);
  for (;;) {
    const code = await once(values, terminal, (files) =>
      // A folder changes when a file in it comes or goes.
      watched.follow([...files, ...values.scenario]),
    ).catch((error) => explain(error, terminal));
    if (!(await isChanged(watched, terminal))) return code;
  }
}

/** Resolves with true when a file has changed, with false when the process is asked to end. */
async function isChanged(watched: FileWatch, terminal: Terminal): Promise<boolean> {
  const ended = new AbortController();
  const stopListening = onFirstSignal(() => ended.abort());
  terminal.err("Watching for changes. Press Ctrl+C to stop.\n");
  const changed = await watched.changes(ended.signal);
  stopListening();
  return changed.size > 0;
}
