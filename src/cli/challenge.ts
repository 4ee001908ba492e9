/** `messaging-sim challenge`. */
import { existsSync } from "node:fs";
import { DEFAULT_SANDBOX } from "../kernel/names.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { Infer } from "../kernel/schema.js";
import { problemsBySchema } from "../kernel/schema-problems.js";
import type { Stage } from "../lab/challenge/play.js";
import { acceptedSchema, type ChallengeReport, isAbout } from "../lab/challenge/report.js";
import { CHALLENGE_REPORTERS, prettyReport } from "../lab/challenge/reporters.js";
import { type ChallengeOptions, runChallenges } from "../lab/challenge/run.js";
import { pointWebhooksAt, resetSandbox } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import { prettyReport as prettyRun } from "../scenarios/reporters.js";
import { asText, command, flag, list, optional, reportersOrByFile, type Values } from "./command.js";
import { printOrWrite, readDocument, reporterNamed } from "./files.js";
import { RUN_OPTIONS } from "./run.js";
import { challengeNames, kindProblems, readRunnable } from "./scenario-files.js";
import {
  EXEC_OPTIONS,
  execProblems,
  lastLines,
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
  accept: optional("file of known breaks, which do not fail the run", asText),
  update: flag("write the current breaks to the file of --accept"),
  reporter: reportersOrByFile(CHALLENGE_REPORTERS),
  ...TARGET_OPTIONS,
};
type ChallengeValues = Values<typeof CHALLENGE_OPTIONS>;

/** `messaging-sim challenge <scenario…>`. */
export const CHALLENGE = command({
  options: CHALLENGE_OPTIONS,
  examples: {
    'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only unknown-fields':
      "one kind of challenge; without --only, every kind that applies to your program",
    'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only duplicated --accept known.json --update':
      "records the current breaks: with --accept alone they do not fail later runs",
  },
  exits: {
    0: "every challenge passed, or every break is accepted or tolerated",
    1: "a challenge failed, none selected by --only could be tried, a scenario fails unchanged, or your program was not ready",
    2: "a file or option is invalid, or the simulator does not respond",
  },
  problems: (values) => [
    ...execProblems(values),
    ...(values.update && values.accept === undefined
      ? [{ path: "--update", message: "requires --accept" }]
      : []),
    ...(values.hook === undefined && values.exec === undefined
      ? [{ path: "--hook", message: "is missing: the address of your program" }]
      : []),
  ],
  run: (values, terminal) => interruptible((signal) => challenge(values, terminal, signal)),
});

async function challenge(values: ChallengeValues, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { out, reporter = reporterNamed(CHALLENGE_REPORTERS, out), accept, update, only, skip } = values;
  const { scenarios, problems } = await readRunnable(values);
  const unusable = [...problems, ...scenarios.flatMap(challengeNames)];
  if (unusable.length > 0) return refuse(terminal, unusable);
  const isNew = accept === undefined || (update && !existsSync(accept));
  const accepted = isNew ? [] : await readAccepted(accept);
  const color = out === undefined && usesColor(terminal);
  const progress = process.stderr.isTTY;
  const plan = { ...values, env: terminal.env, signal };
  const report = await challengeAll(scenarios, plan, {
    ...{ signal, only, skip },
    isAccepted: (name, scenario) => update || accepted.some(isAbout({ name, scenario })),
    onProgress: (number, total) => void (progress && terminal.err(`\r${number} of ${total} …`)),
  });
  if (progress) terminal.err("\r\u001b[K");
  const failing = report.unchanged.filter(({ ok }) => !ok);
  for (const one of failing) terminal.err(`A scenario fails unchanged:\n${prettyRun(one)}`);
  const text =
    reporter === "pretty" ? prettyReport(report, { color }) : CHALLENGE_REPORTERS[reporter](report);
  await printOrWrite(text, out, terminal);
  if (out !== undefined) terminal.out(prettyReport(report));
  if (signal.aborted) {
    terminal.err("Interrupted: the report shows the challenges that were tried\n");
    return INTERRUPTED;
  }
  const { challenges } = report;
  if (update && accept !== undefined) {
    const breaks = challenges.filter(({ verdict }) => verdict === "accepted");
    // Whether a challenge that was not tried still breaks is unknown, so its entry stays.
    const kept = accepted.filter((entry) => !challenges.some(isAbout(entry)));
    const all = [...breaks.map(({ name, scenario }) => ({ name, scenario })), ...kept];
    await printOrWrite(`${JSON.stringify({ accepted: all }, null, 2)}\n`, accept, terminal, "--accept");
  }
  const isIdle = report.ok && only.length > 0 && challenges.length === 0;
  if (isIdle) terminal.err("Nothing was tested: no challenge of --only could be tried\n");
  return report.ok && !isIdle ? OK : FAILED;
}

/** @throws UnusableDocument, NotReady, SimError */
const challengeAll = (
  scenarios: readonly Scenario[],
  plan: ChallengeValues & Plan,
  options: Omit<ChallengeOptions, "stage">,
): Promise<ChallengeReport> =>
  withSimulator(plan, async (server) => {
    const { hook, exec, signal } = plan;
    const target = { ...server, sandbox: DEFAULT_SANDBOX, signal };
    const connect = async () => void (hook !== undefined && (await pointWebhooksAt(hook, target)));
    let system: SystemUnderTest | undefined;
    const stage = async (scenario: Scenario): Promise<Stage> => {
      if (exec === undefined) return { target, connect };
      const start = async () => {
        await system?.stop();
        await resetSandbox(scenario, target, { apart: true });
        system = await startSystem(exec, scenario, target, plan);
        return system;
      };
      let current = await start();
      const ended = () => {
        const how = current.ended();
        return how === undefined ? undefined : { how, output: lastLines(current.output()) };
      };
      const restart = async () => void (current = await start());
      return { target, connect, system: { ended, exited: () => current.exited, restart } };
    };
    return runChallenges(scenarios, { ...options, stage }).finally(() => system?.stop());
  });

/** The known breaks in a file. @throws UnusableDocument */
async function readAccepted(file: string): Promise<Infer<typeof acceptedSchema>["accepted"]> {
  const document = await readDocument(file);
  const problems = document.problems ?? document.locate(problemsBySchema(acceptedSchema, document.value));
  if (problems.length > 0 || document.problems !== undefined) throw new UnusableDocument(problems);
  return (document.value as Infer<typeof acceptedSchema>).accepted;
}
