/** Judges a run against the unchanged one, and groups breaks by cause. */
import { getOrInsert } from "../../kernel/objects.js";
import { firstFailure, startOf } from "../../scenarios/evidence.js";
import type { Report, StepReport } from "../../scenarios/report.js";
import { stepKind } from "../../scenarios/steps/index.js";
import type { Challenge, CopyAnswer } from "./kinds.js";
import { CHALLENGE_KINDS, kindOfName } from "./kinds.js";
import type { Observed } from "./observed.js";
import type { Played } from "./play.js";
import { REFUSED, UNANSWERED } from "./play.js";
import type { Cause, ChallengeResult, Finding } from "./report.js";
import { EXITED } from "./report.js";
import type { FactDifference } from "./wire.js";
import { differencesOf, earlyCall, FAILED, traceOf, unreached, wrongAnswers } from "./wire.js";

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
  challenge: Challenge,
  observed: Observed,
  { report, outcome, wire }: Played,
  ended: string | undefined,
): Judgement {
  const found = (finding: Omit<Finding, "place"> & Partial<Finding>): Judgement => ({
    finding: { place: startOf(report), ...finding },
  });
  if (ended !== undefined) return { finding: endedFinding(report, ended) };
  const failed = firstFailure(report.steps);
  const left = differencesOf(observed.outcome, outcome, observed.unstable);
  const received = differencesOf(observed.trace, traceOf(wire), observed.unstable);
  // A change that no answer or delivery shows may still show in a step or in the final state.
  const isVisible = failed !== undefined || left.length > 0 || received.length > 0;
  const missed = unreached(challenge, wire, isVisible);
  if (missed !== undefined)
    return { notTried: failed === undefined ? missed : `${missed}; "${failed.name}" still failed` };
  const isOfTheWorld = challenge.kind === "behaviour" || challenge.templates !== undefined;
  if (failed !== undefined && isOfTheWorld && stepKind(failed.step)?.effect !== "observes")
    return { notTried: `a step of the scenario itself relies on the changed behaviour: ${failed.name}` };
  const early = earlyCall(wire, observed.calls);
  if (early !== undefined)
    return found({
      broke: "a call was repeated before Retry-After had passed",
      message: `${early.operation} was called again before the second of Retry-After had passed`,
      expected: "no such call for one second",
      seen: `${early.method} ${early.path} → ${early.status}`,
    });
  if (failed !== undefined) {
    const { name, place, message = "failed", expected, seen } = failed;
    return found({ broke: failureOf(failed), step: name, place, message, expected, seen });
  }
  const wrong = wrongAnswers(wire, challenge);
  if (wrong.length > 0)
    return found({
      broke: WRONG_ANSWER[challenge.copy ?? "a refusal"],
      message: `a delivery that is not a documented, signed event requires ${challenge.copy} in response`,
      expected: challenge.copy,
      seen: wrong,
    });
  const differences = left.filter(({ what }) => isComparable(what, challenge));
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

/** Whether a fact of the final state must match the unchanged run: other behaviour may change it. */
const isComparable = (what: string, { kind, templates }: Challenge): boolean =>
  kind !== "behaviour" && (templates?.are !== "empty" || what === FAILED);

const WRONG_ANSWER: Readonly<Record<CopyAnswer, string>> = {
  "a refusal": "a forged delivery was not refused",
  "a success": "the response to an unknown event was not a success",
};

/** What failed, in words that fit all conversations. */
function failureOf({ step, message = "", seen }: StepReport): string {
  if (message === REFUSED || message === UNANSWERED) return message;
  return stepKind(step)?.failure?.(seen) ?? `the step ${step} failed`;
}

/** `more messages by the business`, for any thread. */
function differenceText({ what, expected, seen }: FactDifference): string {
  const kind = what.replace(/^thread \S+: /, "").replace(/ of organization .*$/, "");
  const record = /^(customer|user) /.exec(kind)?.[1];
  if (record !== undefined) return `another ${record}`;
  const isCount = typeof (expected ?? seen) === "number";
  return isCount ? `${Number(seen) > Number(expected) ? "more" : "fewer"} ${kind}` : `another ${kind}`;
}

const KINDS: readonly string[] = Object.keys(CHALLENGE_KINDS);

/** The causes of unexpected breaks, worst first: those that end the program, then those that break most. */
export function causesOf(challenges: readonly ChallengeResult[]): Cause[] {
  const groups = new Map<string, ChallengeResult[]>();
  for (const result of challenges.filter(({ verdict }) => verdict === "broke"))
    getOrInsert(groups, `${kindOfName(result.name)}\n${result.broke}`, () => []).push(result);
  const causes = [...groups.values()].map((group): Cause => {
    const [{ name, scenario, broke = "", why, remedy }] = group as [ChallengeResult];
    return {
      kind: kindOfName(name),
      broke,
      breaks: group.length,
      scenarios: [...new Set(group.map((result) => result.scenario))],
      challenges: [...new Set(group.map((result) => result.name))],
      example: { name, scenario },
      why,
      remedy,
    };
  });
  const weight = ({ broke, breaks }: Cause) => (broke === EXITED ? 1_000_000 : 0) + breaks;
  return causes.sort((a, b) => weight(b) - weight(a) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}
