import type { Report, StepLocation } from "../scenarios/report.js";
import type { Challenge } from "./change.js";
import type { Observed } from "./observed.js";
import { outcomeDifferences } from "./outcome.js";
import type { Played } from "./play.js";
import type { Finding } from "./report.js";

/** What a run says about the system under test: nothing, that it held, or how it broke. */
export type Judgement =
  | { readonly leftOut: string; readonly finding?: undefined }
  | { readonly leftOut?: undefined; readonly finding: Finding | undefined };

/** Where there is no step to name: the beginning of the scenario. */
const startOf = ({ file }: Report): StepLocation =>
  file === undefined ? { path: "steps" } : { file, line: 1, column: 1, path: "" };

/** @param ended how the system under test ended by itself in a run */
export const endedFinding = (report: Report, ended: string): Finding => ({
  place: startOf(report),
  message: `the system under test ended: ${ended}`,
  expected: "that it goes on",
  seen: ended,
});

/** @param ended how the system under test ended by itself in the run */
export function judge(
  challenge: Challenge,
  observed: Observed,
  { report, outcome, hasFired, wrongAnswers }: Played,
  ended: string | undefined,
): Judgement {
  const found = (finding: Omit<Finding, "place"> & Partial<Finding>): Judgement => ({
    finding: { place: startOf(report), ...finding },
  });
  if (ended !== undefined) return { finding: endedFinding(report, ended) };
  const failed = report.steps.find(({ ok, skipped }) => !ok && !skipped);
  if (failed !== undefined && challenge.kind === "behaviour" && !isAboutTheSystem(failed.step))
    return { leftOut: `a step of the scenario itself relies on the usual value: ${failed.name}` };
  if (failed !== undefined) {
    const { name, place, message = "failed", expected, seen } = failed;
    return found({ step: name, place, message, expected, seen });
  }
  if (hasFired === false) return { leftOut: "what it changes never happened in the run" };
  if (wrongAnswers.length > 0)
    return found({
      message: `a delivery that is none of the service's events must be answered with ${challenge.copy}`,
      expected: challenge.copy,
      seen: wrongAnswers,
    });
  const differences =
    challenge.kind === "behaviour" || observed.outcome === undefined
      ? []
      : outcomeDifferences(observed.outcome, outcome);
  if (differences.length === 0) return { finding: undefined };
  return found({
    message: `the scenario passed, but something else was left behind than in the unchanged run: ${differences
      .map(({ what, expected, seen }) => `${what}: ${seen ?? "none"} in place of ${expected ?? "none"}`)
      .join("; ")}`,
    expected: Object.fromEntries(differences.map(({ what, expected }) => [what, expected])),
    seen: Object.fromEntries(differences.map(({ what, seen }) => [what, seen])),
  });
}

/** Whether a step of this kind looks at what the system under test does. */
const isAboutTheSystem = (step: string): boolean => ["reply", "silent", "expect", "delivered"].includes(step);
