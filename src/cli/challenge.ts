/** `messaging-sim challenge`: in one sandbox, or in several at once if the system under test takes its token from the delivery. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxInfo } from "../client/types.js";
import { reasonOf } from "../kernel/errors.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { asScenario, fileNameOf } from "../lab/challenge/as-scenario.js";
import { causesOf } from "../lab/challenge/judge.js";
import { fitsAny } from "../lab/challenge/kinds.js";
import type { Stage } from "../lab/challenge/play.js";
import {
  type Accepted,
  acceptedIn,
  acceptedSchema,
  type ChallengeReport,
  type ChallengeResult,
  isEntryOf,
  mendedOf,
} from "../lab/challenge/report.js";
import {
  CHALLENGE_REPORTERS,
  prettyResult,
  prettyScenario,
  prettySummary,
} from "../lab/challenge/reporters.js";
import { type Break, type ChallengeOptions, runChallenges } from "../lab/challenge/run.js";
import { DEFAULT_SANDBOX, segment } from "../protocol/names.js";
import { transportTo } from "../scenarios/http.js";
import { resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Report } from "../scenarios/report.js";
import { prettyReport } from "../scenarios/reporters.js";
import {
  asText,
  command,
  flag,
  list,
  optional,
  positive,
  refused,
  reporters,
  type Values,
} from "./command.js";
import { printOrWrite, readValid } from "./files.js";
import { RUN_OPTIONS } from "./run.js";
import { challengeNames, kindProblems, readRunnable } from "./scenario-files.js";
import {
  EXEC_OPTIONS,
  EXEC_REQUIRES,
  type Plan,
  type SystemUnderTest,
  startSystem,
  TARGET_OPTIONS,
  withSimulator,
} from "./system-under-test.js";
import { FAILED, INTERRUPTED, interruptible, OK, refuse, type Terminal, usesColor } from "./terminal.js";

/** A name or pattern of challenges. @throws UnusableDocument */
function challengePattern(pattern: string): string {
  const problems = kindProblems("", pattern);
  if (problems.length > 0) throw new UnusableDocument(problems);
  return pattern;
}

/** The options of `challenge`. */
const CHALLENGE_OPTIONS = {
  scenario: RUN_OPTIONS.scenario,
  ...EXEC_OPTIONS,
  only: list(
    "only challenges with this name or pattern, such as duplicated, 'behaviour/*' or duplicated/transfer (repeatable)",
    challengePattern,
  ),
  skip: list("skip challenges with this name or pattern (repeatable)", challengePattern),
  pairs: flag(
    "also try pairs of challenges that hold individually and affect the same turn of the conversation",
  ),
  accept: optional("file of known breaks, which do not fail the run", asText),
  update: flag("write the current breaks to the file of --accept"),
  write: optional("write each break to this folder, as a scenario that contains the change", asText),
  "token-header": optional(
    "header of deliveries from which the system under test takes its token; allows several sandboxes at once",
    asText,
  ),
  jobs: optional("number of concurrent runs with --token-header (default: 4)", positive),
  reporter: reporters(CHALLENGE_REPORTERS),
  verbose: flag("show every challenge, not only the causes of breaks"),
  ...TARGET_OPTIONS,
  "max-steps": RUN_OPTIONS["max-steps"],
};
type ChallengeValues = Values<typeof CHALLENGE_OPTIONS>;

/** `messaging-sim challenge <scenario…>`. */
export const CHALLENGE = command({
  options: CHALLENGE_OPTIONS,
  requires: { ...EXEC_REQUIRES, update: "accept", jobs: "token-header", "token-header": "hook" },
  examples: {
    'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only unknown-fields':
      "one kind of challenge; without --only, every kind that applies to the program",
    'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only duplicated --accept known.json --update':
      "records the current breaks: with --accept alone they do not fail later runs",
  },
  exits: {
    0: "every challenge held, or every break is accepted or tolerated",
    1: "a challenge broke, none selected by --only could be tried, a scenario fails unchanged, or the system under test was not ready",
    2: "a file or option is unusable, or the simulator does not respond",
    130: "a signal interrupted it; a second signal stops it immediately",
  },
  problems: ({ hook, exec }) =>
    hook === undefined && exec === undefined
      ? [{ path: "--hook", message: "is missing: the address of the system under test" }]
      : [],
  run: (values, terminal) => interruptible((signal) => challenge(values, terminal, signal)),
});

async function challenge(values: ChallengeValues, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { reporter, out, accept, update, only, skip, pairs, write, verbose } = values;
  const breaks: Break[] = [];
  const { scenarios, problems } = await readRunnable(values);
  const isNew = accept === undefined || (update && !existsSync(accept));
  const { accepted, ...known } = isNew ? { accepted: [], problems: [] } : await readAccepted(accept);
  const unusable = [...problems, ...scenarios.flatMap(challengeNames), ...known.problems];
  if (unusable.length > 0) return refuse(terminal, unusable);
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const unchanged: Report[] = [];
  const results: ChallengeResult[] = [];
  const report = await challengeAll(
    scenarios,
    { ...values, env: terminal.env, signal },
    {
      ...(only.length > 0 && { only }),
      skip,
      pairs,
      repeatWith: optionsOf(values),
      isAccepted: (name, scenario) => update || accepted.some(isEntryOf({ name, scenario })),
      onBreak: (found) => void breaks.push(found),
      onResult: (result) => {
        results.push(result);
        if (live && verbose) terminal.out(prettyResult(result, { color }));
      },
      onScenario: (report, ofScenario) => {
        unchanged.push(report);
        if (!report.ok) terminal.err(`A scenario fails unchanged:\n${prettyReport(report)}`);
        if (live) terminal.out(prettyScenario(report, ofScenario, { color }));
      },
    },
  ).catch((error): ChallengeReport => {
    if (!signal.aborted) throw error;
    const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
    return { ok: false, challenges: results, notTried: [], causes: causesOf(results), unchanged, durationMs };
  });
  const text = live
    ? prettySummary(report, { color, verbose })
    : CHALLENGE_REPORTERS[reporter](report, { verbose });
  await printOrWrite(text, out, terminal);
  if (out !== undefined) terminal.out(prettySummary(report, { color }));
  if (write !== undefined) await writeBreaks(write, breaks, terminal);
  if (signal.aborted) {
    terminal.err("Interrupted: the report shows the challenges that were tried\n");
    return INTERRUPTED;
  }
  const idle = unmatched(only, report);
  if (idle.length > 0) return refuse(terminal, idle);
  if (update && accept !== undefined) {
    // Whether a challenge that was not tried still breaks is unknown, so its entry stays.
    const kept = accepted.filter((entry) => !report.challenges.some((one) => isEntryOf(one)(entry)));
    const list = `${JSON.stringify({ accepted: [...acceptedIn(report), ...kept] }, null, 2)}\n`;
    await printOrWrite(list, accept, terminal, "--accept");
  } else
    for (const { name, scenario } of mendedOf(report, accepted))
      terminal.err(`${accept}: ${name} no longer breaks ${scenario}: remove it, or run with --update\n`);
  const isIdle = report.ok && only.length > 0 && report.challenges.length === 0;
  if (isIdle) terminal.err("Nothing was tested: no challenge of --only could be tried\n");
  return report.ok && !isIdle ? OK : FAILED;
}

/** The given options about the system under test and the simulator, for a shell; secrets are left out. */
function optionsOf({ hook, exec, ready, readyWithin, tokenHeader, url, param, maxSteps }: ChallengeValues) {
  const ms = readyWithin === undefined ? undefined : `${readyWithin}ms`;
  const params = Object.entries(param).map(([name, value]) => ["param", `${name}=${value}`] as const);
  const single = {
    hook,
    exec,
    ready,
    "ready-within": ms,
    "token-header": tokenHeader,
    url,
    "max-steps": maxSteps,
  };
  return [...Object.entries(single), ...params]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--${name} '${String(value).replaceAll("'", "'\\''")}'`)
    .join(" ");
}

/** Patterns of `--only` that match no challenge. */
function unmatched(only: readonly string[], { challenges, notTried, unchanged }: ChallengeReport): Problem[] {
  if (!unchanged.every(({ ok }) => ok)) return [];
  const names = [...challenges, ...notTried].map(({ name }) => name);
  const idle = only.filter((pattern) => !names.some((name) => fitsAny([pattern], name)));
  return idle.map((pattern) => ({
    path: "--only",
    message: `no challenge of these scenarios matches "${pattern}": the system under test makes no call and receives no event that it applies to`,
  }));
}

/** The default of `--jobs`. */
const DEFAULT_JOBS = 4;

/** @throws UnusableScenario, UnusableDocument, NotReady, SimError */
const challengeAll = (
  scenarios: readonly Scenario[],
  plan: ChallengeValues & Plan,
  options: Omit<ChallengeOptions, "stages" | "start">,
): Promise<ChallengeReport> =>
  withSimulator(plan, async (server) => {
    const { hook, exec, signal, tokenHeader, jobs = DEFAULT_JOBS, maxSteps } = plan;
    const stageIn = (sandbox: string): Stage => {
      const target = { ...server, sandbox, signal };
      const connect = async ({ token }: Scenario) => {
        if (hook === undefined) return;
        const header = tokenHeader === undefined ? {} : { header: tokenHeader, token };
        await transportTo(target).call("POST", "/connect", { body: { url: hook, ...header } });
      };
      return { target, connect, maxSteps };
    };
    const made: Stage[] = [];
    let system: SystemUnderTest | undefined;
    try {
      for (let job = 1; tokenHeader !== undefined && job <= jobs; job += 1) {
        const { id } = await transportTo(server).call<SandboxInfo>("POST", "/sandboxes", { body: {} });
        made.push(stageIn(id));
      }
      const [stage, ...others] = made.length > 0 ? (made as [Stage, ...Stage[]]) : [stageIn(DEFAULT_SANDBOX)];
      const begin = async (scenario: Scenario, command: string) => {
        await system?.stop();
        await resetSandbox(scenario, stage.target, { apart: true });
        await stage.connect(scenario);
        system = await startSystem(command, scenario, stage.target, plan);
      };
      return await runChallenges(scenarios, {
        ...options,
        stages: [stage, ...others],
        ...(exec !== undefined && {
          start: async (scenario) => {
            await begin(scenario, exec);
            return { ended: () => system?.ended(), restart: () => begin(scenario, exec) };
          },
        }),
      });
    } finally {
      await system?.stop();
      for (const { target } of made)
        await transportTo(server).call("DELETE", `/sandboxes/${segment(target.sandbox)}`);
    }
  });

async function readAccepted(
  file: string,
): Promise<{ readonly accepted: readonly Accepted[]; readonly problems: readonly Problem[] }> {
  const read = await readValid(file, acceptedSchema);
  if (read.problems !== undefined) return { accepted: [], problems: read.problems };
  const { accepted } = read.value;
  const unknown = accepted.flatMap(({ name }, index) => kindProblems(`accepted[${index}].name`, name));
  return { accepted, problems: read.locate(unknown) };
}

/** Writes a file for each break, and reports them. @throws UnusableDocument */
async function writeBreaks(folder: string, breaks: readonly Break[], { err }: Terminal): Promise<void> {
  for (const { scenario, challenge, observed, finding } of breaks) {
    const { file: from = "", name } = scenario;
    const to = join(folder, fileNameOf(name, challenge));
    try {
      await mkdir(folder, { recursive: true });
      const text = asScenario(await readFile(from, "utf8"), challenge, { observed, finding }, { from, to });
      if (text !== undefined) await writeFile(to, text);
      err(text === undefined ? `${challenge.name} cannot be written as a scenario: skipped\n` : `${to}\n`);
    } catch (error) {
      refused(`cannot write ${to}: ${reasonOf(error)}`, "--write");
    }
  }
}
