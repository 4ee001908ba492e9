import { writeFile } from "node:fs/promises";
import { SimError } from "../client/errors.js";
import { reasonOf } from "../kernel/os-errors.js";
import { UnusableScenario } from "../scenarios/prepare.js";
import { REPORTERS } from "../scenarios/reporters/index.js";
import { prettyReport, prettySummary } from "../scenarios/reporters/pretty.js";
import { shippedFixture } from "../simulator/start.js";
import { usesColor } from "./color.js";
import { command } from "./command.js";
import { RUN_OPTIONS, type RunValues } from "./run-options.js";
import { NotReady, runAll } from "./run-scenarios.js";
import { waitForChange } from "./run-watch.js";
import { readScenarios, startProblems } from "./scenario-files.js";
import { lastWords } from "./system-under-test.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** Exit code: an expectation failed. */
const FAILED = 1;

/** `messaging-sim run <scenario…>` (contract section 6). */
export const RUN = command({
  options: RUN_OPTIONS,
  problems: ({ exec }, names) =>
    ["ready-within", "ready", "keep"]
      .filter((name) => exec === undefined && names.includes(name))
      .map((name) => ({ path: `--${name}`, message: "is for a program: name it with --exec" })),
  run: async (values, terminal) =>
    values.watch ? watch(values, terminal) : (await once(values, terminal)).code,
});

interface Ran {
  readonly code: number;
  /** What the run read: when one of them changes it is worth another. */
  readonly files: readonly string[];
}

/** Reads, runs and reports once. */
async function once(values: RunValues, terminal: Terminal): Promise<Ran> {
  const { reporter, out } = values;
  const plan = { ...values, env: terminal.env };
  const { scenarios, files, problems } = await readScenarios(values.scenario, values.param);
  if (problems.length > 0) return { code: refuse(terminal, problems), files };
  // Only the start of a simulator of one's own is known beforehand.
  const standard = plan.url === undefined ? await shippedFixture() : undefined;
  const unknown = await Promise.all(scenarios.map((scenario) => startProblems(scenario, standard)));
  if (unknown.flat().length > 0) return { code: refuse(terminal, unknown.flat()), files };
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const progress = !live && process.stderr.isTTY;
  try {
    const { reports, output } = await runAll(scenarios, plan, {
      onReport: (report) => void (live && terminal.out(`${prettyReport(report, { color })}\n`)),
      onProgress: (done) => void (progress && terminal.err(`\r${done} of ${scenarios.length} scenarios`)),
    });
    if (progress) terminal.err("\n");
    if (live) terminal.out(prettySummary(reports, { color }));
    else if (out === undefined) terminal.out(REPORTERS[reporter](reports));
    else {
      const written = await writeFile(out, REPORTERS[reporter](reports)).catch((error: unknown) => error);
      if (written !== undefined) {
        const why =
          (written as { code?: string }).code === "ENOENT" ? "there is no such folder" : reasonOf(written);
        const message = `cannot write the report to ${out}: ${why}`;
        return { code: refuse(terminal, [{ path: "--out", message }]), files };
      }
      terminal.out(prettySummary(reports, { color }));
    }
    const code = reports.every(({ ok }) => ok) ? OK : FAILED;
    if (code !== OK && output !== "") terminal.err(`Output of ${plan.exec}\n${output.replace(/\n?$/, "\n")}`);
    return { code, files };
  } catch (error) {
    if (error instanceof UnusableScenario) return { code: refuse(terminal, error.problems), files };
    if (error instanceof NotReady) {
      terminal.err(`${error.message}\n${lastWords(error.output)}`);
      return { code: FAILED, files };
    }
    if (!(error instanceof SimError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    terminal.err(`${(error as Error).message}\n`);
    return { code: UNUSABLE, files };
  }
}

/** Runs again and again, until the process is ended. */
async function watch(values: RunValues, terminal: Terminal): Promise<number> {
  for (;;) {
    const { code, files } = await once(values, terminal);
    terminal.err("Watching for changes; Ctrl+C ends it.\n");
    if (!(await waitForChange(files))) return code;
  }
}
