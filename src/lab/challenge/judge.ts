/** Judges a run against the unchanged one: by the scenario's own result, and by the state that it left. */
import { firstFailure, startOf } from "../../scenarios/evidence.js";
import type { Report } from "../../scenarios/report.js";
import { stepKind } from "../../scenarios/steps/index.js";
import { differencesOf } from "./facts.js";
import type { Ended, Pace, Played } from "./play.js";
import type { Finding } from "./report.js";
import type { Challenge } from "./table.js";

/** Why a challenge was not tried, or what broke; neither where it held. */
export interface Judgement {
  readonly notTried?: string;
  readonly finding?: Finding;
}

export const endedFinding = (report: Report, { how, output }: Ended): Finding => ({
  exited: true,
  place: startOf(report),
  message: `your program exited: ${how}`,
  expected: "that it keeps running",
  seen: output,
});

/** @param ended if the system under test has ended meanwhile */
export function judge(
  { kind, behaviour, answer, renamesTemplates }: Challenge,
  { report, facts, deliveries, met, unmet }: Played,
  expected: Pace,
  ended: Ended | undefined,
): Judgement {
  if (ended !== undefined) return { finding: endedFinding(report, ended) };
  const found = (finding: Omit<Finding, "place"> & Partial<Finding>): Judgement => ({
    finding: { place: startOf(report), ...finding },
  });
  const failed = firstFailure(report.steps);
  const isConsulted = met.behaviours.some(({ key }) => behaviour !== undefined && key in behaviour);
  const isIdle = behaviour !== undefined && !isConsulted;
  const missed = isIdle ? "nothing in the run consulted the entry" : unmet;
  if (missed !== undefined)
    return { notTried: failed === undefined ? missed : `${missed}; "${failed.name}" still failed` };
  if (failed !== undefined) {
    const { name: step, place, message = "failed", expected, seen } = failed;
    const isOfTheWorld = kind === "behaviour" || renamesTemplates;
    if (isOfTheWorld && stepKind(failed.step)?.effect !== "observes")
      return { notTried: `a step of the scenario itself relies on the changed behaviour: ${step}` };
    return found({ step, place, message, expected, seen });
  }
  const isRefusal = answer === "a refusal";
  const wrong = deliveries
    .flatMap(({ attempts }) => attempts.filter(({ copy }) => copy && answer !== undefined))
    .map(({ status }) => status)
    .filter((status) => status === null || (isRefusal ? status < 400 : status >= 300));
  if (wrong.length > 0)
    return found({
      message: `a delivery that is not a documented, signed event requires ${answer} in response`,
      expected: answer,
      seen: wrong,
    });
  const differences = kind === "behaviour" ? [] : differencesOf(expected.facts, facts);
  if (differences.length === 0) return {};
  return found({
    message: `the scenario passed, but left a different state than the unchanged run: ${differences
      .map(({ what, expected, seen }) => `${what}: ${seen ?? "none"} instead of ${expected ?? "none"}`)
      .join("; ")}`,
    expected: Object.fromEntries(differences.map(({ what, expected }) => [what, expected])),
    seen: Object.fromEntries(differences.map(({ what, seen }) => [what, seen])),
  });
}
