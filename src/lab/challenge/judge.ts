/** Judges a run against the unchanged one. */
import { firstFailure, startOf } from "../../scenarios/evidence.js";
import type { Report } from "../../scenarios/report.js";
import { stepKind } from "../../scenarios/steps/index.js";
import type { FactDifference } from "./facts.js";
import { differencesOf } from "./facts.js";
import type { Pace, Played } from "./play.js";
import type { Finding } from "./report.js";
import { EXITED } from "./report.js";
import type { Challenge } from "./table.js";

/** Not tried, held (no finding), or broke. */
export type Judgement =
  | { readonly notTried: string; readonly finding?: undefined }
  | { readonly notTried?: undefined; readonly finding: Finding | undefined };

export const endedFinding = (report: Report, ended: string): Finding => ({
  broke: EXITED,
  place: startOf(report),
  message: `the system under test exited: ${ended}`,
  expected: "that it keeps running",
  seen: ended,
});

/** @param ended how the system under test exited, if it did */
export function judge(
  { kind, behaviour, answer, renamesTemplates }: Challenge,
  { report, facts, deliveries, met, unmet }: Played,
  expected: Pace,
  ended: string | undefined,
): Judgement {
  const found = (finding: Omit<Finding, "place"> & Partial<Finding>): Judgement => ({
    finding: { place: startOf(report), ...finding },
  });
  if (ended !== undefined) return { finding: endedFinding(report, ended) };
  const failed = firstFailure(report.steps);
  const consulted = new Set(met.behaviours.map(({ key }) => key));
  const isIdle = behaviour !== undefined && !Object.keys(behaviour).some((key) => consulted.has(key));
  const missed = isIdle ? "nothing in the run consulted the entry" : unmet;
  if (missed !== undefined)
    return { notTried: failed === undefined ? missed : `${missed}; "${failed.name}" still failed` };
  const isOfTheWorld = kind === "behaviour" || renamesTemplates;
  if (failed !== undefined && isOfTheWorld && stepKind(failed.step)?.effect !== "observes")
    return { notTried: `a step of the scenario itself relies on the changed behaviour: ${failed.name}` };
  if (failed !== undefined) {
    const { name: step, place, message = "failed", expected, seen } = failed;
    const broke = stepKind(failed.step)?.failure?.(seen) ?? `the step ${failed.step} failed`;
    return found({ broke, step, place, message, expected, seen });
  }
  const wrong = deliveries
    .flatMap(({ attempts }) => attempts.filter(({ copy }) => copy && answer !== undefined))
    .map(({ status }) => status)
    .filter((status) => status === null || (answer === "a refusal" ? status < 400 : status >= 300));
  if (wrong.length > 0)
    return found({
      broke:
        answer === "a refusal"
          ? "a forged delivery was not refused"
          : "the response to an unknown event was not a success",
      message: `a delivery that is not a documented, signed event requires ${answer} in response`,
      expected: answer,
      seen: wrong,
    });
  const differences = kind === "behaviour" ? [] : differencesOf(expected.facts, facts, expected.except);
  if (differences.length === 0) return { finding: undefined };
  return found({
    broke: `different state: ${[...new Set(differences.map(differenceText))].join(", ")}`,
    message: `the scenario passed, but left a different state than the unchanged run: ${differences
      .map(({ what, expected, seen }) => `${what}: ${seen ?? "none"} instead of ${expected ?? "none"}`)
      .join("; ")}`,
    expected: Object.fromEntries(differences.map(({ what, expected }) => [what, expected])),
    seen: Object.fromEntries(differences.map(({ what, seen }) => [what, seen])),
  });
}

/** `more messages by the business`, for any thread. */
function differenceText({ what, expected, seen }: FactDifference): string {
  const kind = what.replace(/^thread \S+: /, "").replace(/ of organization .*$/, "");
  const record = /^(customer|user) /.exec(kind)?.[1];
  if (record !== undefined) return `another ${record}`;
  const isCount = typeof (expected ?? seen) === "number";
  return isCount ? `${Number(seen) > Number(expected) ? "more" : "fewer"} ${kind}` : `another ${kind}`;
}
