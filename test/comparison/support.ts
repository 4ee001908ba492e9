import { behaviourCandidates } from "../../src/cli/compare.js";
import type { Against } from "../../src/lab/comparison/compare.js";
import { compareScenarios } from "../../src/lab/comparison/compare.js";
import { ignoredPath } from "../../src/lab/comparison/differences.js";
import type { Comparison } from "../../src/lab/comparison/report.js";
import { read } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";

/** Compares a simulator with another address by one scenario. */
export async function compareWith(
  source: object,
  against: Pick<Against, "url"> & Partial<Against>,
  ignore: readonly string[] = [],
): Promise<Comparison> {
  const scenario = await read({ token: "acme-token", thread: "9001", ...source });
  return compareScenarios(
    [{ own: scenario, other: scenario }],
    await startSimulator(),
    { token: "acme-token", tokens: {}, timeoutMs: 10_000, ...against },
    { ignored: ignore.map(ignoredPath), candidates: behaviourCandidates() },
  );
}
