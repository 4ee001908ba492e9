import { CHALLENGE_KINDS, currentName, kindOfPattern } from "../challenge/kinds.js";
import type { ChallengeReport } from "../challenge/report.js";
import { breaksOf, mendedOf } from "../challenge/report.js";
import { CHALLENGE_REPORTERS, prettyResult, prettyScenario, prettySummary } from "../challenge/reporters.js";
import type { Break } from "../challenge/run.js";
import { keysOf } from "../kernel/keys.js";
import type { Problem } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import type { Scenario } from "../scenarios/read.js";
import { prettyReport } from "../scenarios/reporters.js";
import { shippedFixture } from "../simulator/start.js";
import { readAccepted, writeAccepted } from "./accepted-file.js";
import { CHALLENGE_OPTIONS, type ChallengeValues } from "./challenge-options.js";
import { challengeAll } from "./challenge-scenarios.js";
import { usesColor } from "./color.js";
import { command } from "./command.js";
import { execProblems } from "./exec-options.js";
import { explain } from "./explain.js";
import { readScenarios, startProblems } from "./scenario-files.js";
import { OK, refuse, type Terminal } from "./terminal.js";
import { writeBreaks } from "./write-breaks.js";
import { writeReport } from "./write-report.js";

/** Exit code: a challenge broke that is not accepted, or a scenario fails as it is. */
const BROKE = 1;

/** `messaging-sim challenge <scenario…>` (contract section 10). */
export const CHALLENGE = command({
  options: CHALLENGE_OPTIONS,
  examples: [
    [
      'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only unknown-fields',
      "one kind of challenge; without --only everything that makes sense for what the program calls and is sent",
    ],
    [
      'messaging-sim challenge greeting.yaml --hook http://127.0.0.1:3000 --exec "node start.js" --only duplicated --accept known.json --update',
      "writes down what breaks now: with --accept alone it does not fail later runs",
    ],
  ],
  exits: {
    0: "the system under test held, or broke only where that is accepted or tolerated",
    1: "a challenge broke, a scenario fails as it is, or the system under test was not ready",
    2: "a file or an option is unusable, or no simulator answers",
  },
  problems: ({ hook, exec, update, accept, jobs, tokenHeader, only = [], skip = [] }, names) => [
    ...execProblems(exec, names),
    ...(hook === undefined && exec === undefined
      ? [{ path: "--hook", message: "is missing: where does the system under test take webhooks?" }]
      : []),
    ...(update && accept === undefined
      ? [{ path: "--update", message: "is for a file: name it with --accept" }]
      : []),
    ...(jobs !== undefined && tokenHeader === undefined
      ? [{ path: "--jobs", message: "is for several sandboxes: they need --token-header" }]
      : []),
    ...(tokenHeader !== undefined && hook === undefined
      ? [{ path: "--token-header", message: "is for deliveries: they need --hook" }]
      : []),
    ...unknownKinds("--only", only),
    ...unknownKinds("--skip", skip),
  ],
  run: challenge,
});

/** Patterns whose kind there is not. */
const unknownKinds = (path: string, patterns: readonly string[]): Problem[] =>
  patterns.flatMap((pattern) => {
    const kind = kindOfPattern(pattern);
    return kind === undefined || Object.hasOwn(CHALLENGE_KINDS, kind)
      ? []
      : [{ path, message: unknownKey("challenge", kind, keysOf(CHALLENGE_KINDS)) }];
  });

async function challenge(values: ChallengeValues, terminal: Terminal): Promise<number> {
  const { reporter, out, accept, update, only, skip, pairs, write, verbose } = values;
  const breaks: Break[] = [];
  const { scenarios, problems } = await readScenarios(values.scenario, values.param);
  const standard = values.url === undefined ? await shippedFixture() : undefined;
  const unknown = await Promise.all(scenarios.map((each) => startProblems(each, standard)));
  const known = await readAccepted(accept, update);
  const unusable = [...problems, ...unknown.flat(), ...scenarios.flatMap(namesIn), ...known.problems];
  if (unusable.length > 0) return refuse(terminal, unusable);
  const color = out === undefined && usesColor(terminal);
  const live = reporter === "pretty" && out === undefined;
  try {
    const report = await challengeAll(
      scenarios,
      { ...values, env: terminal.env },
      {
        ...(only.length > 0 && { only }),
        skip,
        pairs,
        isAccepted: (name, scenario) =>
          known.accepted.some((each) => currentName(each.name) === name && each.scenario === scenario),
        onBreak: (found) => void breaks.push(found),
        onResult: (result) => void (live && verbose && terminal.out(prettyResult(result, { color }))),
        onScenario: (unchanged, results) => {
          if (!unchanged.ok)
            terminal.err(`A scenario fails unchallenged:\n${prettyReport(unchanged)}`);
          if (live) terminal.out(prettyScenario(unchanged, results, { color }));
        },
      },
    );
    const text = () => CHALLENGE_REPORTERS[reporter](report, { verbose });
    if (live) terminal.out(prettySummary(report, { color, verbose }));
    else if (out === undefined) terminal.out(text());
    else {
      const failed = await writeReport("--out", out, text());
      if (failed.length > 0) return refuse(terminal, failed);
      terminal.out(prettySummary(report, { color }));
    }
    if (write !== undefined) {
      const { lines, problems } = await writeBreaks(write, breaks);
      terminal.err(lines.join(""));
      if (problems.length > 0) return refuse(terminal, problems);
    }
    return await afterwards(report, values, known.accepted, terminal);
  } catch (error) {
    return explain(error, terminal);
  }
}

/** Writes the list of accepted breaks, or says what of it is over; the exit code. */
async function afterwards(
  report: ChallengeReport,
  { accept, update }: ChallengeValues,
  accepted: Parameters<typeof mendedOf>[1],
  terminal: Terminal,
): Promise<number> {
  if (update && accept !== undefined) {
    const failing = new Set(report.unchanged.flatMap(({ ok, name }) => (ok ? [] : [name])));
    // Nothing is known of the breaks of a scenario that fails as it is: they stay.
    const kept = accepted.filter(({ scenario }) => failing.has(scenario));
    const failed = await writeAccepted(accept, [...breaksOf(report), ...kept]);
    if (failed.length > 0) return refuse(terminal, failed);
    return failing.size > 0 ? BROKE : OK;
  }
  for (const { name, scenario } of mendedOf(report, accepted))
    terminal.err(`${accept}: ${name} holds now in ${scenario}: take it out, or run with --update\n`);
  return report.ok ? OK : BROKE;
}

/** What is wrong with the names of challenges in a scenario. */
const namesIn = ({ survives = [], tolerates = [], locate }: Scenario): Problem[] =>
  Object.entries({ survives, tolerates }).flatMap(([key, patterns]) =>
    patterns.flatMap((pattern, index) => locate(unknownKinds(`${key}[${index}]`, [pattern]))),
  );
