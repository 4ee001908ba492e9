import type { Difference } from "../kernel/matching.js";

/** The path of a step in the scenario, and its line and column in a file. */
export interface StepLocation {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Such as `steps[2]`. */
  readonly path: string;
}

/** A message in a thread, which `pretty` prints as a line of the conversation. */
export interface Utterance {
  readonly who: "customer" | "employee" | "client";
  readonly thread: string;
  readonly text: string;
  readonly internal?: boolean;
  /** The title of the template that was sent. */
  readonly template?: string;
}

/** An entry that almost matched. */
export interface ReportedMiss {
  readonly id: string;
  /** `POST /api/update-thread-status → 400` */
  readonly summary: string;
  readonly differences: readonly Difference[];
}

/** The result of one step. */
export interface StepReport {
  readonly name: string;
  /** `customer`, `request` … */
  readonly step: string;
  readonly ok: boolean;
  /** Not run, because an earlier step failed. */
  readonly skipped?: boolean;
  readonly place: StepLocation;
  /** The rounds of the enclosing `repeat` steps, outermost first, counted from 1. */
  readonly rounds?: readonly number[];
  /** The sandbox's time when the step ended, ms. */
  readonly at?: number;
  /** Real time. */
  readonly durationMs?: number;
  /** `reply`: real time since the last message by the customer or an employee. */
  readonly latencyMs?: number;
  readonly said?: Utterance;
  /** The ids of the calls and deliveries that the step has used up: no later expectation takes them. */
  readonly used?: readonly string[];
  readonly note?: string;
  /** How it failed. */
  readonly message?: string;
  /** Why no reply or call came, if it waited for one: the diagnosis in words. */
  readonly why?: string;
  readonly expected?: unknown;
  readonly seen?: unknown;
  readonly nearMisses?: readonly ReportedMiss[];
}

/** Something that a passing run only seems to test. A fault that could have no effect fails every run. */
export interface Remark {
  readonly about: "fault" | "idle fault";
  readonly message: string;
  readonly place: StepLocation;
}

/** Contract warnings of one kind from one call site. */
export interface WarningSummary {
  readonly code: string;
  readonly message: string;
  readonly section: string;
  /** The call that caused it: `POST /api/update-thread-status` by the client. */
  readonly site: string;
  readonly by: "client" | "scenario" | null;
  readonly count: number;
}

export interface CallSummary {
  readonly id: string;
  readonly at: number;
  readonly by: "client" | "scenario";
  readonly summary: string;
  readonly body: unknown;
  readonly status: number | null;
  readonly response: unknown;
}

/** The result of one run of a scenario. */
export interface Report {
  readonly name: string;
  readonly file?: string;
  readonly ok: boolean;
  readonly sandbox: string;
  readonly durationMs: number;
  readonly steps: readonly StepReport[];
  readonly warnings: readonly WarningSummary[];
  /** What the run only seems to test. */
  readonly remarks: readonly Remark[];
  /** The scenario expects nothing: it was only played. */
  readonly played?: true;
  /** Calls by the client that no step expected. */
  readonly unexpected: readonly CallSummary[];
  /** After a failure: why it failed, in one sentence. */
  readonly cause?: string;
  /** After a failure: the conversations in Markdown, one for each thread. */
  readonly transcript?: string;
}

/** What `${id…}` reads: `status` and `body` of a call, for instance. */
export type Outcome = Readonly<Record<string, unknown>>;

/** What a failed step reports, with the outcome that later steps may read. */
interface FailureDetails extends Pick<StepReport, "expected" | "seen" | "nearMisses" | "said" | "why"> {
  readonly outcome?: Outcome;
}

export class StepFailure extends Error {
  override readonly name = "StepFailure";

  constructor(
    message: string,
    readonly details: FailureDetails = {},
  ) {
    super(message);
  }
}
