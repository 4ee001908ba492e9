/** What a comparison says: the form that reporters print. */
import type { StepLocation } from "../scenarios/report.js";

/** A field in which two answers differ. A side without the field leaves it out. */
export interface FieldDifference {
  /** `status`, `headers.content-type`, `body.templates[0].title`; empty where one side made no call. */
  readonly path: string;
  readonly simulator?: unknown;
  readonly other?: unknown;
}

/** A step in a few words. */
export interface StepMention {
  readonly name: string;
  readonly place: StepLocation;
}

/** A call that the two sides answered differently. */
export interface CallDifference extends StepMention {
  /** Which round of the `repeat` steps around it, outermost first. */
  readonly rounds?: readonly number[];
  readonly call: string;
  /** The entry of the behaviour table that decided the simulator's answer; null: the specification states it. */
  readonly behaviour: string | null;
  readonly fields: readonly FieldDifference[];
  /** Steps before it that only the simulator took: what they changed is not so on the other side. */
  readonly after: readonly StepMention[];
}

/** A call that was not sent to the other side, or a step that the simulator refused. */
export interface Omission extends StepMention {
  readonly reason: string;
}

export interface ScenarioComparison {
  readonly name: string;
  readonly file?: string;
  /** The answers are the same, as far as they were compared. */
  readonly ok: boolean;
  /** How many calls both sides answered. */
  readonly compared: number;
  readonly differences: readonly CallDifference[];
  readonly notSent: readonly Omission[];
  /** Steps that failed on the simulator: what comes after them is not what the scenario means. */
  readonly failures: readonly Omission[];
  /** Answers that are not as the scenario expects, of either side. They may well agree. */
  readonly unexpected: readonly (Omission & { readonly side: "simulator" | "other" })[];
}

/** Values of the behaviour table that bring the simulator nearer to the other side. */
export interface Proposal {
  readonly values: Readonly<Record<string, unknown>>;
  /** A last run with all the values found no difference. */
  readonly complete: boolean;
  /** How many calls still differ with them. */
  readonly remaining: number;
  /** Some calls that differ came after steps that only the simulator took: those may be the reason, and no behaviour. */
  readonly uncertain: boolean;
}

export interface Comparison {
  readonly against: string;
  readonly ok: boolean;
  readonly scenarios: readonly ScenarioComparison[];
  /** Null where nothing differs, or no value that was tried helps. */
  readonly proposal: Proposal | null;
}
