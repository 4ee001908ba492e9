/** The report of a run of challenges. */
import { getOrInsert } from "../../kernel/objects.js";
import type { InferReadonly } from "../../kernel/schema.js";
import { array, object, string } from "../../kernel/schema.js";
import type { Report, StepLocation } from "../../scenarios/report.js";
import { CHALLENGE_ROWS, kindOfName } from "./table.js";

export const EXITED = "the system under test exited";

export interface Finding {
  /** What broke, in words that fit all conversations. */
  readonly broke: string;
  /** The step that failed, unless the scenario passed and something else is wrong. */
  readonly step?: string;
  readonly place: StepLocation;
  readonly message: string;
  readonly expected?: unknown;
  readonly seen?: unknown;
  /** The conversations, in Markdown. */
  readonly transcript?: string;
}

/** `tolerated`: the scenario allows the break; `accepted`: the list of known breaks has it. */
export const VERDICTS = ["held", "broke", "tolerated", "accepted"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One challenge in one scenario. */
export interface ChallengeResult extends Partial<Finding> {
  readonly name: string;
  readonly scenario: string;
  readonly file?: string;
  readonly held: boolean;
  readonly verdict: Verdict;
  readonly about: string;
  /** Why this happens in practice, and how to survive it. */
  readonly why: string;
  readonly remedy: string;
  readonly durationMs: number;
}

/** A challenge without a verdict, mostly because its change never took effect. */
export interface NotTried {
  readonly name: string;
  readonly scenario: string;
  readonly reason: string;
}

/** Breaks with the same cause. */
export interface Cause {
  readonly kind: string;
  /** What broke, in words that fit all of them. */
  readonly broke: string;
  readonly breaks: number;
  readonly scenarios: readonly string[];
  readonly challenges: readonly string[];
  /** One of them. */
  readonly example: { readonly name: string; readonly scenario: string };
  readonly why: string;
  readonly remedy: string;
}

export interface ChallengeReport {
  /** Every break is tolerated or accepted, and the unchanged scenarios pass. */
  readonly ok: boolean;
  readonly challenges: readonly ChallengeResult[];
  readonly notTried: readonly NotTried[];
  /** What broke, grouped, worst first. */
  readonly causes: readonly Cause[];
  /** The unchanged runs. */
  readonly unchanged: readonly Report[];
  /** The duration without the first unchanged runs, ms. */
  readonly durationMs: number;
}

const accepted = object({ name: string(), scenario: string() });
export type Accepted = InferReadonly<typeof accepted>;

export const acceptedSchema = object(
  { accepted: array(accepted, { maxItems: 100_000 }) },
  { title: "accepted challenges" },
);

/** Whether an entry of the list of known breaks is about a result. */
export const isEntryOf =
  (result: Accepted) =>
  ({ name, scenario }: Accepted): boolean =>
    name === result.name && scenario === result.scenario;

/** The breaks on the list of known ones. */
export const acceptedIn = ({ challenges }: ChallengeReport): Accepted[] =>
  challenges
    .filter(({ verdict }) => verdict === "accepted")
    .map(({ name, scenario }) => ({ name, scenario }));

/** The accepted breaks that hold now. */
export const mendedOf = ({ challenges }: ChallengeReport, accepted: readonly Accepted[]): Accepted[] =>
  accepted.filter((entry) => challenges.some((result) => result.held && isEntryOf(result)(entry)));

const KINDS: readonly string[] = Object.keys(CHALLENGE_ROWS);

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
