/** `messaging-sim challenge`: in one sandbox, or in several at once if the system under test takes its token from the delivery. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxInfo } from "../client/types.js";
import { reasonOf } from "../kernel/errors.js";
import { keysOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { asScenario, fileNameOf } from "../lab/challenge/as-scenario.js";
import { fitsAny } from "../lab/challenge/kinds.js";
import type { Stage } from "../lab/challenge/play.js";
import type { ChallengeReport } from "../lab/challenge/report.js";
import { type Accepted, acceptedIn, acceptedSchema, isEntryOf, mendedOf } from "../lab/challenge/report.js";
import {
  CHALLENGE_REPORTERS,
  prettyResult,
  prettyScenario,
  prettySummary,
} from "../lab/challenge/reporters.js";
import { type Break, type ChallengeOptions, runChallenges } from "../lab/challenge/run.js";
import { segment } from "../protocol/names.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import { prettyReport } from "../scenarios/reporters.js";
import {
  asText,
  command,
  flag,
  list,
  oneOf,
  optional,
  positive,
  type Values,
  withDefault,
} from "./command.js";
import { printOrWrite, readDocument } from "./files.js";
import {
  EXEC_OPTIONS,
  execProblems,
  ownSimulator,
  RUN_OPTIONS,
  serverOf,
  startFor,
  TARGET_OPTIONS,
} from "./run-scenarios.js";
import { challengeNames, readRunnable, unknownKinds } from "./scenario-files.js";
import type { SystemUnderTest } from "./system-under-test.js";
import { OK, refuse, type Terminal, UNUSABLE, usesColor } from "./terminal.js";

/** The options of `challenge`. */
const CHALLENGE_OPTIONS = {
  scenario: RUN_OPTIONS.scenario,
  ...EXEC_OPTIONS,
  only: list(
    "only challenges with this name or pattern, such as duplicated, 'behaviour/*' or duplicated/transfer (repeatable)",
  ),
  skip: list("skip challenges with this name or pattern (repeatable)"),
  pairs: flag("also combine two challenges that hold alone and affect the same turn of the conversation"),
  accept: optional("file of known breaks, which do not fail the run", asText),
  update: flag("write the current breaks to the file of --accept"),
  write: optional("write each break to this folder, as a scenario that contains the change", asText),
  "token-header": optional(
    "header of deliveries from which the system under test takes its token; allows several sandboxes at once",
    asText,
  ),
  jobs: optional("number of concurrent runs with --token-header (default: 4)", positive),
  reporter: withDefault(
    keysOf(CHALLENGE_REPORTERS).join(", "),
    oneOf("reporter", CHALLENGE_REPORTERS),
    "pretty",
  ),
  verbose: flag("show every challenge, not only the causes of breaks"),
  ...TARGET_OPTIONS,
  "max-steps": RUN_OPTIONS["max-steps"],
};
type ChallengeValues = Values<typeof CHALLENGE_OPTIONS>;

/** Exit code: a challenge broke that is not accepted, or a scenario fails unchanged. */
const BROKE = 1;

/** `messaging-sim challenge <scenario…>`. */
export const CHALLENGE = command({
  options: CHALLENGE_OPTIONS,
  examples: [
    [
      'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only unknown-fields',
      "one kind of challenge; without --only, every kind that applies to the program",
    ],
    [
      'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only duplicated --accept known.json --update',
      "records the current breaks: with --accept alone they do not fail later runs",
    ],
  ],
  exits: {
    0: "the system under test held, or every break is accepted or tolerated",
    1: "a challenge broke, none of --only could be tried, a scenario fails unchanged, or the system under test was not ready",
    2: "a file or option is unusable, or the simulator does not answer",
  },
  problems: ({ hook, exec, update, accept, jobs, tokenHeader, only = [], skip = [] }, names) => [
    ...execProblems(exec, names),
    ...(hook === undefined && exec === undefined
      ? [{ path: "--hook", message: "is missing: the address of the system under test" }]
      : []),
    ...(update && accept === undefined ? [{ path: "--update", message: "requires --accept" }] : []),
    ...(jobs !== undefined && tokenHeader === undefined
      ? [{ path: "--jobs", message: "requires --token-header" }]
      : []),
    ...(tokenHeader !== undefined && hook === undefined
      ? [{ path: "--token-header", message: "requires --hook" }]
      : []),
    ...unknownKinds("--only", only),
    ...unknownKinds("--skip", skip),
  ],
  run: challenge,
});

async function challenge(values: ChallengeValues, terminal: Terminal): Promise<number> {
  const { reporter, out, accept, update, only, skip, pairs, write, verbose } = values;
  const breaks: Break[] = [];
  const { scenarios, problems } = await readRunnable(values);
  const known = await readAccepted(accept, update);
  const unusable = [...problems, ...scenarios.flatMap(challengeNames), ...known.problems];
  if (unusable.length > 0) return refuse(terminal, unusable);
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  const report = await challengeAll(
    scenarios,
    { ...values, env: terminal.env },
    {
      ...(only.length > 0 && { only }),
      skip,
      pairs,
      repeatWith: optionsOf(values),
      isAccepted: (name, scenario) => update || known.accepted.some(isEntryOf({ name, scenario })),
      onBreak: (found) => void breaks.push(found),
      onResult: (result) => void (live && verbose && terminal.out(prettyResult(result, { color }))),
      onScenario: (unchanged, results) => {
        if (!unchanged.ok)
          terminal.err(`A scenario fails without any challenge:\n${prettyReport(unchanged)}`);
        if (live) terminal.out(prettyScenario(unchanged, results, { color }));
      },
    },
  );
  const text = live
    ? prettySummary(report, { color, verbose })
    : CHALLENGE_REPORTERS[reporter](report, { verbose });
  if (!(await printOrWrite(text, out, terminal))) return UNUSABLE;
  if (out !== undefined) terminal.out(prettySummary(report, { color }));
  if (write !== undefined) {
    const { lines, problems } = await writeBreaks(write, breaks);
    terminal.err(lines.join(""));
    if (problems.length > 0) return refuse(terminal, problems);
  }
  const idle = unmatched(only, report);
  return idle.length > 0
    ? refuse(terminal, idle)
    : await afterwards(report, values, known.accepted, terminal);
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

/** Writes the list of accepted breaks, or reports its outdated entries; returns the exit code. */
async function afterwards(
  report: ChallengeReport,
  { accept, update, only }: ChallengeValues,
  accepted: Parameters<typeof mendedOf>[1],
  terminal: Terminal,
): Promise<number> {
  if (update && accept !== undefined) {
    // Whether a challenge that was not tried still breaks is unknown, so its entry stays.
    const kept = accepted.filter((entry) => !report.challenges.some((result) => isEntryOf(result)(entry)));
    const text = `${JSON.stringify({ accepted: [...acceptedIn(report), ...kept] }, null, 2)}\n`;
    if (!(await printOrWrite(text, accept, terminal, "--accept"))) return UNUSABLE;
  } else
    for (const { name, scenario } of mendedOf(report, accepted))
      terminal.err(`${accept}: ${name} no longer breaks ${scenario}: remove it, or run with --update\n`);
  const isIdle = report.ok && only.length > 0 && report.challenges.length === 0;
  if (isIdle) terminal.err("Nothing was tested: no challenge of --only could be tried\n");
  return report.ok && !isIdle ? OK : BROKE;
}

/** The default of `--jobs`. */
const DEFAULT_JOBS = 4;

type Plan = ChallengeValues & Pick<Terminal, "env">;

/** @throws UnusableScenario, NotReady, SimError */
async function challengeAll(
  scenarios: readonly Scenario[],
  plan: Plan,
  options: Omit<ChallengeOptions, "stages" | "start">,
): Promise<ChallengeReport> {
  const simulator = plan.url === undefined ? await ownSimulator(plan) : undefined;
  const server = serverOf(plan, simulator);
  const made: string[] = [];
  let system: SystemUnderTest | undefined;
  try {
    const stages = await stagesOf(server, plan, made);
    const [stage] = stages;
    if (stage === undefined) throw new Error("there is nowhere to run");
    const { exec } = plan;
    if (exec === undefined) return await runChallenges(scenarios, { ...options, stages });
    const begin = async (scenario: Scenario) => {
      await system?.stop();
      await resetSandbox(scenario, stage.target, { apart: true });
      await stage.connect(scenario);
      system = await startFor(scenario, stage.target, plan, exec);
    };
    const start = async (scenario: Scenario) => {
      await begin(scenario);
      return { ended: () => system?.ended(), restart: () => begin(scenario) };
    };
    return await runChallenges(scenarios, { ...options, stages, start });
  } finally {
    await system?.stop();
    for (const id of made) await transportTo(server).call("DELETE", `/sandboxes/${segment(id)}`);
    await simulator?.close();
  }
}

/** The sandboxes of the runs; `made` gets the ids of those to delete afterwards. */
async function stagesOf(
  server: Target,
  { hook, tokenHeader, jobs = DEFAULT_JOBS, maxSteps }: Plan,
  made: string[],
): Promise<Stage[]> {
  if (tokenHeader === undefined) {
    const target = { ...server, sandbox: "default" };
    const connect = async () => {
      if (hook !== undefined) await pointWebhooksAt(hook, target);
    };
    return [{ target, connect, maxSteps }];
  }
  const stages: Stage[] = [];
  for (let job = 1; job <= jobs; job += 1) {
    const { id } = await transportTo(server).call<SandboxInfo>("POST", "/sandboxes", { body: {} });
    made.push(id);
    const target = { ...server, sandbox: id };
    const connect = ({ token }: Scenario) =>
      transportTo(target).call<void>("POST", "/connect", { body: { url: hook, header: tokenHeader, token } });
    stages.push({ target, connect, maxSteps });
  }
  return stages;
}

interface Read {
  readonly accepted: readonly Accepted[];
  readonly problems: readonly Problem[];
}

/** @param mayBeMissing the file is about to be written */
async function readAccepted(file: string | undefined, mayBeMissing: boolean): Promise<Read> {
  if (file === undefined) return { accepted: [], problems: [] };
  if (mayBeMissing && (await stat(file).catch(() => undefined)) === undefined)
    return { accepted: [], problems: [] };
  const document = await readDocument(file);
  if (document.problems !== undefined) return { accepted: [], problems: document.problems };
  const validate = createAjv().compile<{ accepted: Accepted[] }>(acceptedSchema);
  if (!validate(document.value))
    return { accepted: [], problems: document.locate(schemaProblems(validate.errors, document.value, [])) };
  const { accepted } = document.value;
  const unknown = accepted.flatMap(({ name }, index) => unknownKinds(`accepted[${index}].name`, [name]));
  return { accepted, problems: document.locate(unknown) };
}

/** Writes a file for each break. @returns lines with their names, and the errors of those that cannot be written */
async function writeBreaks(
  folder: string,
  breaks: readonly Break[],
): Promise<{ readonly lines: readonly string[]; readonly problems: readonly Problem[] }> {
  const lines: string[] = [];
  for (const { scenario, challenge, observed, finding } of breaks) {
    const { file, name } = scenario;
    const to = join(folder, fileNameOf(name, challenge));
    try {
      await mkdir(folder, { recursive: true });
      const text =
        file === undefined
          ? undefined
          : asScenario(await readFile(file, "utf8"), challenge, { observed, finding }, { from: file, to });
      if (text === undefined) lines.push(`${challenge.name} cannot be written as a scenario: skipped\n`);
      else {
        await writeFile(to, text);
        lines.push(`${to}\n`);
      }
    } catch (error) {
      return { lines, problems: [{ path: "--write", message: `cannot write ${to}: ${reasonOf(error)}` }] };
    }
  }
  return { lines, problems: [] };
}
