/** The report of a run of challenges. */
import type { InferReadonly } from "../../kernel/schema.js";
import { array, object, string } from "../../kernel/schema.js";
import type { Report, StepLocation } from "../../scenarios/report.js";

export interface Finding {
  /** The system under test has exited. */
  readonly exited?: true;
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
export type Verdict = "held" | "broke" | "tolerated" | "accepted";

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

export interface ChallengeReport {
  /** Every break is tolerated or accepted, and the unchanged scenarios pass. */
  readonly ok: boolean;
  readonly challenges: readonly ChallengeResult[];
  readonly notTried: readonly NotTried[];
  /** The unchanged runs. */
  readonly unchanged: readonly Report[];
  /** The duration without the unchanged runs, ms. */
  readonly durationMs: number;
}

const accepted = object({ name: string(), scenario: string() });
type Accepted = InferReadonly<typeof accepted>;

export const acceptedSchema = object(
  { accepted: array(accepted, { maxItems: 100_000 }) },
  { title: "accepted challenges" },
);

/** Whether another result or known break is about the same. */
export const isAbout =
  (one: Accepted) =>
  ({ name, scenario }: Accepted): boolean =>
    name === one.name && scenario === one.scenario;
