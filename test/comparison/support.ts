import { behaviourCandidates } from "../../src/cli/compare.js";
import type { Against } from "../../src/lab/comparison/compare.js";
import { compareScenarios } from "../../src/lab/comparison/compare.js";
import { ignoredPath } from "../../src/lab/comparison/differences.js";
import type { Comparison } from "../../src/lab/comparison/report.js";
import { readScenario, type Scenario } from "../../src/scenarios/read.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { startSimulator } from "../support/simulator.js";

export async function scenarioOf(source: object): Promise<Scenario> {
  const read = await readScenario(scenarioFormat(), { token: "acme-token", thread: "9001", ...source });
  if (read.problems !== undefined) throw new Error(JSON.stringify(read.problems));
  return read.scenario;
}

/** Compares a simulator with something at another address, by one scenario. */
export async function compareWith(
  source: object,
  against: Pick<Against, "url"> & Partial<Against>,
  ignore: readonly string[] = [],
): Promise<Comparison> {
  const own = await startSimulator();
  const scenario = await scenarioOf(source);
  return compareScenarios(
    [{ own: scenario, other: scenario }],
    own,
    { token: "acme-token", tokens: {}, timeoutMs: 10_000, ...against },
    { ignored: ignore.map(ignoredPath), candidates: behaviourCandidates() },
  );
}
