/** The scenarios that a command line names. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Problem, under } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { readScenarioFile, type Scenario } from "../scenarios/read.js";
import { scenarioFormat } from "../simulator/scenario-format.js";

interface ScenarioFiles {
  readonly scenarios: readonly Scenario[];
  /** Every file that was read. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Reads scenario files, and those in folders.
 *
 * @param params values for parameters; each must be one of at least one scenario
 */
export async function readScenarios(
  paths: readonly string[],
  params: Readonly<Record<string, string>> = {},
): Promise<ScenarioFiles> {
  const format = scenarioFormat();
  const files = (await Promise.all(paths.map(filesIn))).flat();
  const scenarios: Scenario[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const read = await readScenarioFile(format, file, { params });
    if (read.problems === undefined) scenarios.push(read.scenario);
    else problems.push(...read.problems);
  }
  if (files.length === 0) problems.push({ path: "", message: `there is no scenario in ${paths.join(", ")}` });
  if (problems.length === 0) problems.push(...unknownParams(params, scenarios));
  const fixtures = scenarios.flatMap(({ fixturesFile }) => fixturesFile ?? []);
  return { scenarios, files: [...files, ...fixtures], problems };
}

/** What is wrong with one scenario file, and with the fixture that it names. */
export async function scenarioProblems(file: string): Promise<readonly Problem[]> {
  const read = await readScenarioFile(scenarioFormat(), file);
  if (read.problems !== undefined) return read.problems;
  const { fixtures, locate } = read.scenario;
  if (fixtures === undefined) return [];
  const { FixtureLoader } = await import("../world/load.js");
  const { problems = [] } = new FixtureLoader().loadFixture(fixtures);
  return locate(problems.map((problem) => under(["fixtures"], problem)));
}

async function filesIn(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return [path];
  const names = await readdir(path);
  return names
    .filter((name) => /\.(ya?ml|json)$/i.test(name))
    .sort()
    .map((name) => join(path, name));
}

function unknownParams(params: Readonly<Record<string, string>>, scenarios: readonly Scenario[]): Problem[] {
  const known = new Set(scenarios.flatMap((scenario) => Object.keys(scenario.params)));
  return Object.keys(params)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: "--param", message: unknownKey("parameter", name, known) }));
}
