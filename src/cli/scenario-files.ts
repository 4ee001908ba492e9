/** The scenarios in a command line. */
import { SimError } from "../client/errors.js";
import { keysOf } from "../kernel/objects.js";
import { printable, printableLines } from "../kernel/printable.js";
import { type Problem, UnusableDocument, under } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { CHALLENGES, unknownKind } from "../lab/challenge/table.js";
import { type readScenario, readScenarioFile, type Scenario } from "../scenarios/read.js";
import { scenarioFormat } from "../server/scenario-format.js";
import { shippedFixture } from "../server/start.js";
import { judgedFiles } from "./document-kinds.js";
import { lastWords, NotReady, type Plan } from "./system-under-test.js";
import { FAILED, refuse, type Terminal, UNUSABLE } from "./terminal.js";

interface ScenarioFiles {
  readonly scenarios: readonly Scenario[];
  /** All files that were read. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Reads scenario files, and those in folders.
 *
 * @param params values for parameters; each must belong to at least one scenario
 */
export async function readScenarios(
  paths: readonly string[],
  params: Readonly<Record<string, string>> = {},
): Promise<ScenarioFiles> {
  const format = scenarioFormat();
  const found = await Promise.all(paths.map(scenariosAt));
  const files = found.flatMap((each) => each.files);
  const fixtures: string[] = [];
  const scenarios: Scenario[] = [];
  const problems: Problem[] = found.flatMap((each) => each.problems);
  for (const file of files) {
    const read = await readScenarioFile(format, file, { params });
    if (read.problems === undefined) scenarios.push(read.scenario);
    else problems.push(...read.problems);
    const { fixturesFile } = read.scenario ?? read;
    if (fixturesFile !== undefined) fixtures.push(fixturesFile);
  }
  if (files.length === 0 && problems.length === 0)
    problems.push({ path: "", message: `there is no scenario in ${paths.join(", ")}` });
  if (problems.length === 0) problems.push(...unknownParams(params, scenarios));
  return { scenarios, files: [...files, ...fixtures], problems };
}

/** The same, with the problems of the scenarios' starts; the start of a simulator at `url` is not known in advance. */
export async function readRunnable({
  scenario,
  param,
  url,
}: Pick<Plan, "param" | "url"> & { readonly scenario: readonly string[] }): Promise<ScenarioFiles> {
  const read = await readScenarios(scenario, param);
  if (read.problems.length > 0) return read;
  const standard = url === undefined ? await shippedFixture() : undefined;
  const problems = await Promise.all(read.scenarios.map((each) => startProblems(each, standard)));
  return { ...read, problems: problems.flat() };
}

/**
 * The problems of a scenario that was read, and of the fixture that it names.
 *
 * @param standard the start of a scenario without a fixture, and its name in messages
 */
export async function scenarioProblems(
  read: Awaited<ReturnType<typeof readScenario>>,
  standard: StandardFixture,
): Promise<readonly Problem[]> {
  if (read.problems !== undefined) return read.problems;
  const unknown = challengeNames(read.scenario);
  if (unknown.length > 0) return unknown;
  if (read.scenario.fixtures !== undefined) return startProblems(read.scenario);
  const problems = await startProblems(read.scenario, await standard.fixture());
  return problems.map((problem) => ({ ...problem, message: `${problem.message} (${standard.name})` }));
}

/** What the steps of a valid scenario can hardly mean. */
export async function scenarioDoubts(
  { scenario }: Awaited<ReturnType<typeof readScenario>>,
  standard: StandardFixture,
): Promise<readonly Problem[]> {
  return scenario?.doubts(scenario.fixtures ?? (await standard.fixture())) ?? [];
}

/** The problem of a name or pattern of challenges, if their kind is unknown. */
export function kindProblems(path: string, pattern: string): Problem[] {
  const kind = unknownKind(pattern);
  return kind === undefined ? [] : [{ path, message: unknownKey("challenge", kind, keysOf(CHALLENGES)) }];
}

/** Problems of the names of challenges in a scenario. */
export const challengeNames = ({ survives = [], tolerates = [], locate }: Scenario): Problem[] =>
  Object.entries({ survives, tolerates }).flatMap(([key, patterns]) =>
    patterns.flatMap((pattern, index) => locate(kindProblems(`${key}[${index}]`, pattern))),
  );

/** The start of a scenario without a fixture. */
export interface StandardFixture {
  readonly fixture: () => Promise<Fixture>;
  /** Such as `in the built-in fixture`. */
  readonly name: string;
}

/**
 * The problems of a scenario's fixture, and of the records that its steps name.
 *
 * @param standard the target's fixture, if known, from which a scenario without one starts
 */
async function startProblems(scenario: Scenario, standard?: Fixture): Promise<readonly Problem[]> {
  const { fixtures, locate, unknownReferences } = scenario;
  if (fixtures === undefined) return standard === undefined ? [] : unknownReferences(standard);
  const { FixtureLoader } = await import("../service/world/load.js");
  const { problems, document } = new FixtureLoader().loadFixture(fixtures);
  if (problems !== undefined) return locate(problems.map((problem) => under(["fixtures"], problem)));
  return unknownReferences({ ...document });
}

type Fixture = Parameters<Scenario["unknownReferences"]>[0];

/** The scenario files at a path: a folder may also contain other kinds of files. */
async function scenariosAt(path: string): Promise<{ files: string[]; problems: Problem[] }> {
  const files: string[] = [];
  const problems: Problem[] = [];
  for (const { file, ...judged } of await judgedFiles(path)) {
    // The problems of a named file come up when it is read as a scenario.
    const isScenario = judged.problems === undefined ? judged.kind === "scenario" : file === path;
    if (isScenario) files.push(file);
    else if (judged.problems !== undefined) problems.push(...judged.problems);
    else if (file === path)
      problems.push({ file, path: "", message: `is a ${judged.kind} file, not a scenario` });
  }
  return { files, problems };
}

function unknownParams(params: Readonly<Record<string, string>>, scenarios: readonly Scenario[]): Problem[] {
  const known = new Set(scenarios.flatMap((scenario) => Object.keys(scenario.params)));
  return Object.keys(params)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: "--param", message: unknownKey("parameter", name, [...known]) }));
}

/** Explains why a command failed; returns the exit code. @throws unexpected errors */
export function explain(error: unknown, terminal: Terminal): number {
  if (error instanceof UnusableDocument) return refuse(terminal, error.problems);
  if (error instanceof NotReady) {
    terminal.err(`${printable(error.message)}\n${printableLines(lastWords(error.output))}`);
    return FAILED;
  }
  if (error instanceof SimError) terminal.err(`${printableLines(refusalText(error))}\n`);
  else if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  else terminal.err(`${printable((error as Error).message)}\n`);
  return UNUSABLE;
}

/** Explains a failed control call, in the words of the command line. */
function refusalText({ code, reason }: SimError): string {
  if (code === "unreachable")
    return `${reason}; start one with messaging-sim serve, or name another with --url or MESSAGING_SIM_URL`;
  if (code === "unauthorized")
    return "the control token is missing or wrong (401): give the one that serve printed with --control-token or MESSAGING_SIM_CONTROL_TOKEN";
  return reason;
}
