/** What a run of challenges came to (contract section 10): the form that reporters print. */

import { array, object, string } from "../kernel/schema.js";
import type { Report, StepLocation } from "../scenarios/report.js";
import { currentName } from "./kinds.js";

/** What a break looks like. */
export interface Finding {
  /** What broke, without what is different from one conversation to the next. */
  readonly broke: string;
  /** The step that failed; none where the scenario passed and something else is wrong. */
  readonly step?: string;
  readonly place: StepLocation;
  readonly message: string;
  readonly expected?: unknown;
  readonly seen?: unknown;
  /** The conversations as they went, in Markdown. */
  readonly transcript?: string;
}

/** `tolerated`: broke, and the scenario says that it may; `accepted`: broke, and a list of known breaks has it. */
export type Verdict = "held" | "broke" | "tolerated" | "accepted";

/** One challenge in one scenario. */
export interface ChallengeResult extends Partial<Finding> {
  readonly name: string;
  readonly scenario: string;
  readonly file?: string;
  readonly held: boolean;
  readonly verdict: Verdict;
  /** What was different. */
  readonly about: string;
  /** Why it happens, and what holds against it. */
  readonly why: string;
  readonly remedy: string;
  /** The unchanged run's conversations, beside those of a break. */
  readonly unchanged?: string;
  /** The options that repeat it alone. */
  readonly repeat: string;
  readonly durationMs: number;
}

/** A challenge that says nothing about the system under test: above all one whose change was no part of what went over the wire. */
export interface NotTried {
  readonly name: string;
  readonly scenario: string;
  readonly reason: string;
}

/** Breaks that have the same cause. */
export interface Cause {
  /** The kind of challenge. */
  readonly kind: string;
  /** What broke, in words that fit all of them. */
  readonly broke: string;
  /** How many challenges broke so. */
  readonly breaks: number;
  readonly scenarios: readonly string[];
  readonly challenges: readonly string[];
  /** One of them. */
  readonly example: { readonly name: string; readonly scenario: string };
  readonly why: string;
  readonly remedy: string;
}

export interface ChallengeReport {
  /** No challenge broke that is neither tolerated nor accepted, and the unchanged scenarios pass. */
  readonly ok: boolean;
  readonly challenges: readonly ChallengeResult[];
  readonly notTried: readonly NotTried[];
  /** What broke, grouped, worst first. */
  readonly causes: readonly Cause[];
  /** The unchanged runs. */
  readonly unchanged: readonly Report[];
  /** How long trying the challenges took, ms: the unchanged runs at the start are not in it. */
  readonly durationMs: number;
}

export const acceptedSchema = object(
  {
    accepted: array(object({ name: string(), scenario: string() }), { maxItems: 100_000 }),
  },
  { title: "accepted challenges" },
);

export interface Accepted {
  readonly name: string;
  readonly scenario: string;
}

/** The breaks of a report that no scenario tolerates. */
export const breaksOf = ({ challenges }: ChallengeReport): Accepted[] =>
  challenges
    .filter(({ verdict }) => verdict === "broke" || verdict === "accepted")
    .map(({ name, scenario }) => ({ name, scenario }));

/** The accepted breaks that a report shows to hold now. */
export const mendedOf = ({ challenges }: ChallengeReport, accepted: readonly Accepted[]): Accepted[] =>
  accepted.filter(({ name, scenario }) =>
    challenges.some(
      (result) => result.name === currentName(name) && result.scenario === scenario && result.held,
    ),
  );
