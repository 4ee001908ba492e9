import type { Problem } from "../kernel/problems.js";
import { playProblems, startsProblems } from "../load/playable.js";
import type { LoadReport } from "../load/report.js";
import { LOAD_REPORTERS, progressLine } from "../load/reporters.js";
import type { Scenario } from "../scenarios/read.js";
import { shippedFixture } from "../simulator/start.js";
import { command } from "./command.js";
import { execProblems } from "./exec-options.js";
import { explain } from "./explain.js";
import { LOAD_OPTIONS, type LoadValues } from "./load-options.js";
import { startLoad } from "./load-run.js";
import { readScenarios, startProblems } from "./scenario-files.js";
import { OK, refuse, type Terminal } from "./terminal.js";
import { reporterNamed, writeReport } from "./write-report.js";

/** Exit code: an expectation does not hold, or the system under test was not ready. */
const FAILED = 1;

/** `messaging-sim load <scenario…>` (contract section 10). */
export const LOAD = command({
  options: LOAD_OPTIONS,
  examples: [
    [
      'messaging-sim load order.yaml --customers 20 --for 2s --hook http://127.0.0.1:3000 --exec "node echo.js"',
      "twenty customers at once, against a simulator of its own",
    ],
    [
      `messaging-sim load order.yaml --arrivals 10/s --for 2s --ramp 1s --expect 'p99<5s' --expect 'failures<1%' --hook http://127.0.0.1:3000 --exec "node echo.js"`,
      "ten new customers a second; exit code 1 where an expectation does not hold",
    ],
    [
      "messaging-sim load order.yaml --customers 10 --for 2s --url http://127.0.0.1:4020 --out load.html",
      "against a simulator that runs, with a page that shows it over time",
    ],
  ],
  exits: {
    0: "every expectation holds; without --expect always",
    1: "an expectation does not hold, or the system under test was not ready",
    2: "a file or an option is unusable, a scenario cannot be played, or no simulator answers",
  },
  problems: optionProblems,
  run: async (values, terminal) => {
    const { scenarios, problems } = await readScenarios(values.scenario, values.param);
    if (problems.length > 0) return refuse(terminal, problems);
    const refused = await refusals(scenarios, values);
    if (refused.length > 0) return refuse(terminal, refused);
    try {
      const isLive = process.stderr.isTTY === true;
      const report = await startLoad(scenarios, values, terminal, (point) => {
        if (isLive) terminal.err(`\r\u001b[K${progressLine(point)}`);
      });
      if (isLive) terminal.err("\r\u001b[K");
      return await tell(report, values, terminal);
    } catch (error) {
      return explain(error, terminal);
    }
  },
});

function optionProblems(
  { customers, arrivals, for: time = 0, ramp = 0, exec, url, metricsHost }: Partial<LoadValues>,
  names: readonly string[],
): Problem[] {
  const has = (name: string) => names.includes(name);
  const problems: Problem[] = [];
  if (!has("customers") && !has("arrivals"))
    problems.push({ path: "--customers", message: "is missing: how many at once, or --arrivals a second" });
  if (customers !== undefined && arrivals !== undefined)
    problems.push({ path: "--arrivals", message: "cannot stand beside --customers" });
  if (ramp > time) problems.push({ path: "--ramp", message: "cannot be longer than --for" });
  if (url === undefined && has("sandbox"))
    problems.push({ path: "--sandbox", message: "is one of a simulator that runs: name that with --url" });
  if (has("metrics-host") && !has("metrics-port") && metricsHost !== "127.0.0.1")
    problems.push({ path: "--metrics-host", message: "is for --metrics-port" });
  return [...problems, ...execProblems(exec, names)];
}

/** Why the scenarios cannot be played, known before anything starts. */
async function refusals(scenarios: readonly Scenario[], { url }: LoadValues): Promise<readonly Problem[]> {
  const unplayable = [
    ...scenarios.flatMap(playProblems),
    ...startsProblems(scenarios, { isRunning: url !== undefined }),
  ];
  if (unplayable.length > 0) return unplayable;
  const standard = url === undefined ? await shippedFixture() : undefined;
  return (await Promise.all(scenarios.map((scenario) => startProblems(scenario, standard)))).flat();
}

async function tell(report: LoadReport, { reporter, out }: LoadValues, terminal: Terminal): Promise<number> {
  const name = reporter ?? reporterNamed(LOAD_REPORTERS, out);
  if (out === undefined) terminal.out(LOAD_REPORTERS[name](report));
  else {
    const problems = await writeReport("--out", out, LOAD_REPORTERS[name](report));
    if (problems.length > 0) return refuse(terminal, problems);
    terminal.out(LOAD_REPORTERS.pretty(report));
  }
  return report.ok ? OK : FAILED;
}
