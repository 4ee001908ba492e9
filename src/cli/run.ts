import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { SimError } from "../client/errors.js";
import { milliseconds } from "../kernel/duration.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { UnusableScenario } from "../scenarios/prepare.js";
import { REPORTER_NAMES, REPORTERS, type ReporterName } from "../scenarios/reporters/index.js";
import { prettyReport, prettySummary } from "../scenarios/reporters/pretty.js";
import { DEFAULT_MAX_STEPS } from "../scenarios/step.js";
import { shippedFixture } from "../simulator/start.js";
import type { CommandModule } from "./command.js";
import { FileWatch } from "./file-watch.js";
import { NotReady, type RunPlan, runAll } from "./run-scenarios.js";
import { readScenarios, startProblems } from "./scenario-files.js";
import { lastWords } from "./system-under-test.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** Exit code: an expectation failed. */
const FAILED = 1;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** `messaging-sim run <scenario…>` (contract section 6). */
export const RUN: CommandModule = {
  declare: (yargs) =>
    yargs
      .positional("scenario", {
        type: "string",
        describe: "scenario files, or folders of them",
        demandOption: true,
      })
      .options({
        jobs: {
          type: "string",
          requiresArg: true,
          describe: "how many files run at once (default: processor cores)",
        },
        url: {
          type: "string",
          requiresArg: true,
          describe: "use the simulator at this address (default: one of its own)",
        },
        "control-token": { type: "string", requiresArg: true, describe: "its control token" },
        sandbox: {
          type: "string",
          requiresArg: true,
          describe: "run in this sandbox, reset before each file",
        },
        hook: { type: "string", requiresArg: true, describe: "point all webhooks at the system under test" },
        exec: {
          type: "string",
          requiresArg: true,
          describe: "start the system under test with this command",
        },
        "ready-within": {
          type: "string",
          requiresArg: true,
          describe: "how long it may take until it is ready (default: 15s)",
        },
        ready: {
          type: "string",
          requiresArg: true,
          describe:
            "an address that answers with a success once it is ready (default: the port of --hook, else output)",
        },
        keep: {
          type: "boolean",
          describe: "start it once for all files, and reset the sandbox between them, with ids apart",
        },
        reporter: {
          type: "string",
          requiresArg: true,
          default: "pretty",
          describe: REPORTER_NAMES.join(", "),
        },
        out: { type: "string", requiresArg: true, describe: "write the report into this file" },
        watch: { type: "boolean", describe: "run again when a file changes" },
        param: {
          type: "string",
          array: true,
          nargs: 1,
          requiresArg: true,
          describe: "name=value, repeatable",
        },
        "strict-scenario": {
          type: "boolean",
          describe:
            "faults that never fired, unused captures and expectations met by older entries fail the run",
        },
        "max-steps": {
          type: "string",
          requiresArg: true,
          describe: `how many steps a scenario executes at most, rounds of a repeat counted (default: ${DEFAULT_MAX_STEPS})`,
        },
        "fail-on-warnings": { type: "boolean", describe: "contract warnings fail the run" },
      }),
  run: async (args, terminal) => {
    const given = optionsOf(args, terminal);
    if ("problems" in given) return refuse(terminal, given.problems);
    return given.watch ? watch(given, terminal) : once(given, terminal);
  },
};

interface RunCommand {
  readonly paths: readonly string[];
  readonly plan: RunPlan;
  readonly reporter: ReporterName;
  readonly out: string | undefined;
  readonly watch: boolean;
  readonly params: Readonly<Record<string, string>>;
}

type Args = Readonly<Record<string, unknown>>;

function optionsOf(args: Args, { env }: Terminal): RunCommand | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const wrong = (option: string, message: string) => void problems.push({ path: `--${option}`, message });
  const text = (name: string) => args[name] as string | undefined;
  const reporter = text("reporter") ?? "pretty";
  if (!REPORTER_NAMES.includes(reporter as ReporterName))
    wrong("reporter", unknownKey("reporter", reporter, REPORTER_NAMES));
  const jobs = text("jobs") === undefined ? availableParallelism() : Number(text("jobs"));
  if (!Number.isInteger(jobs) || jobs < 1)
    wrong("jobs", `must be a positive number, but is "${text("jobs")}"`);
  for (const name of ["ready-within", "ready", "keep"])
    if (args[name] !== undefined && text("exec") === undefined)
      wrong(name, "is for a program: name it with --exec");
  const readyWithin =
    text("ready-within") === undefined ? undefined : milliseconds(String(text("ready-within")));
  if (Number.isNaN(readyWithin))
    wrong("ready-within", `must be a duration such as 30s, but is "${text("ready-within")}"`);
  const maxSteps = text("max-steps") === undefined ? DEFAULT_MAX_STEPS : Number(text("max-steps"));
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 1)
    wrong("max-steps", `must be a positive number, but is "${text("max-steps")}"`);
  for (const name of ["url", "hook", "ready"]) {
    const address = text(name);
    if (address !== undefined && !(/^https?:\/\//i.test(address) && URL.canParse(address)))
      wrong(name, `must be an http or https URL, but is "${address}"`);
  }
  const params: Record<string, string> = {};
  for (const param of (args.param as string[] | undefined) ?? []) {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(param) ?? [];
    if (name === undefined || value === undefined) wrong("param", `must be name=value, but is "${param}"`);
    else params[name] = value;
  }
  if (problems.length > 0) return { problems };
  return {
    paths: [args.scenario].flat() as string[],
    plan: {
      jobs,
      url: text("url")?.replace(/\/+$/, ""),
      controlToken: text("control-token") ?? env.MESSAGING_SIM_CONTROL_TOKEN,
      sandbox: text("sandbox"),
      hook: text("hook"),
      exec: text("exec"),
      ready: text("ready"),
      readyWithin,
      keep: args.keep === true,
      failOnWarnings: args["fail-on-warnings"] === true,
      maxSteps,
      strictScenario: args["strict-scenario"] === true,
      env,
    },
    reporter: reporter as ReporterName,
    out: text("out"),
    watch: args.watch === true,
    params,
  };
}

/** Reads, runs and reports once; the exit code. `onRead` is told what the run reads. */
async function once(
  command: RunCommand,
  terminal: Terminal,
  onRead: (files: readonly string[]) => void = () => {},
): Promise<number> {
  const { scenarios, files, problems } = await readScenarios(command.paths, command.params);
  onRead(files);
  if (problems.length > 0) return refuse(terminal, problems);
  const { reporter, out, plan } = command;
  // Only the start of a simulator of one's own is known beforehand.
  const standard = plan.url === undefined ? await shippedFixture() : undefined;
  const unknown = await Promise.all(scenarios.map((scenario) => startProblems(scenario, standard)));
  if (unknown.flat().length > 0) return refuse(terminal, unknown.flat());
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
        return refuse(terminal, [{ path: "--out", message }]);
      }
      terminal.out(prettySummary(reports, { color }));
    }
    const code = reports.every(({ ok }) => ok) ? OK : FAILED;
    if (code !== OK && output !== "") terminal.err(`Output of ${plan.exec}\n${output.replace(/\n?$/, "\n")}`);
    return code;
  } catch (error) {
    if (error instanceof UnusableScenario) return refuse(terminal, error.problems);
    if (error instanceof NotReady) {
      terminal.err(`${error.message}\n${lastWords(error.output)}`);
      return FAILED;
    }
    if (!(error instanceof SimError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    terminal.err(`${(error as Error).message}\n`);
    return UNUSABLE;
  }
}

const usesColor = ({ env }: Terminal): boolean => process.stdout.isTTY === true && !env.NO_COLOR;

/** Runs again and again, until the process is ended. */
async function watch(command: RunCommand, terminal: Terminal): Promise<number> {
  const watched = new FileWatch([]);
  for (;;) {
    const code = await once(command, terminal, (files) =>
      watched.follow(files.length > 0 ? files : command.paths),
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
