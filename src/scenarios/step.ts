/** How a step is declared: once, with its words, its schema and what it does. */
import type { Problem } from "../kernel/problems.js";
import type { Infer, ObjectOut, Schema } from "../kernel/schema.js";
import type { NearMiss, StepPlace, Utterance } from "./report.js";
import type { Run } from "./run.js";

type Properties = Record<string, Schema>;

/** A form of a step that says little: a text or a flag in place of an object. */
export interface ShortForm<Short, Long> {
  readonly schema: Schema<Short>;
  /** What it stands for, in the long form's words. */
  readonly words: string;
  readonly long: (short: Short) => Long;
}

/** A kind of step. From these come the scenario's JSON Schema, its validation, its reference and the runner. */
export interface StepKind {
  readonly key: string;
  /** What the step does, in a line. */
  readonly words: string;
  readonly short?: ShortForm<never, unknown>;
  /** The long form. */
  readonly long: Schema;
  /** Keys that may stand beside the step's own. */
  readonly beside?: Readonly<Properties>;
  /** Fills in `thread` where the scenario names one; without one it is a problem. */
  readonly inThread?: boolean;
  /** Holds placeholders of its own: only parameters are filled in. */
  readonly verbatim?: boolean;
  /** What is wrong with an input that fits the schema; paths are of the long form. */
  readonly problems?: (input: never) => Problem[];
  readonly run: (run: Run, input: never, step: ParsedStep) => Ran | Promise<Ran>;
}

/** What came of a step; undefined when the steps inside it say so themselves. */
export type Ran = StepResult | undefined;

/** A step of a scenario that was read. */
export interface ParsedStep {
  readonly kind: StepKind;
  /** The long form, with the keys beside it; placeholders other than parameters are still in it. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly id?: string | undefined;
  readonly place: StepPlace;
  /** The steps inside a `repeat`. */
  readonly steps?: readonly ParsedStep[];
}

/** What came of a step that did what it should. */
export interface StepResult {
  /** What `${id…}` reads. */
  readonly outcome?: Outcome;
  readonly said?: Utterance;
  readonly note?: string;
  readonly latencyMs?: number;
  readonly expected?: unknown;
  readonly seen?: unknown;
}

/** A step's outcome: that of a call has its `status` and `body`. */
export type Outcome = Readonly<Record<string, unknown>>;

/** A step did not find what it should have. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";

  constructor(
    message: string,
    readonly details: {
      readonly expected?: unknown;
      readonly seen?: unknown;
      readonly nearMisses?: readonly NearMiss[];
      /** The delivery or request that the causal chain is told of. */
      readonly about?: string | undefined;
      readonly outcome?: Outcome;
      readonly said?: Utterance;
    } = {},
  ) {
    super(message);
  }
}

type Input<L extends Schema, B extends Properties> = Infer<L> & Partial<ObjectOut<B>>;

/** Declares a kind of step; what `run` gets is typed by the schemas. */
export function step<L extends Schema, const B extends Properties = Record<never, never>, Short = never>(
  declared: Omit<StepKind, "short" | "long" | "beside" | "problems" | "run"> & {
    readonly short?: ShortForm<Short, Infer<L>>;
    readonly long: L;
    readonly beside?: B;
    readonly problems?: (input: Input<L, B>) => Problem[];
    readonly run: (run: Run, input: Input<L, B>, step: ParsedStep) => Ran | Promise<Ran>;
  },
): StepKind {
  return declared as unknown as StepKind;
}
