/** What a run of a scenario leaves behind (contract section 6): the form that reporters print. */

/** Where a step stands: its path in the scenario, and in a file also line and column. */
export interface StepLocation {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Such as `steps[2]`. */
  readonly path: string;
}

/** Something that was said in a thread: what `pretty` prints as a line of the conversation. */
export interface Utterance {
  readonly who: "customer" | "employee" | "client";
  readonly thread: string;
  readonly text: string;
  readonly internal?: boolean;
  /** The contentSid, where a template was sent. */
  readonly template?: string;
}

/** An entry that was almost what a step waited for. */
export interface NearMiss {
  readonly id: string;
  /** The entry in a few words: `POST /api/update-thread-status → 400`. */
  readonly summary: string;
  readonly differences: readonly {
    readonly path: string;
    readonly expected?: unknown;
    readonly seen?: unknown;
  }[];
}

/** One link of the way from a call to what its receiver answered. */
export interface ChainLink {
  readonly kind: "request" | "control" | "delivery" | "attempt";
  readonly id: string | null;
  readonly text: string;
}

/** What became of one step. */
export interface StepReport {
  readonly name: string;
  /** The key of the step: `customer`, `request` … */
  readonly step: string;
  readonly ok: boolean;
  /** Not run, because an earlier step failed. */
  readonly skipped?: boolean;
  readonly place: StepLocation;
  /** Which round of the `repeat` steps around it, outermost first, counted from 1. */
  readonly rounds?: readonly number[];
  /** How many more rounds, after this one, ended in the same way: in a long run they are not listed one by one. */
  readonly moreRounds?: number;
  /** The sandbox's time when the step ended, ms. */
  readonly at?: number;
  /** Real time that it took, with `moreRounds` all of them. */
  readonly durationMs?: number;
  /** `reply`: real time from the last thing that the customer or an employee said to the message. */
  readonly latencyMs?: number;
  readonly said?: Utterance;
  /** What went on, in a few words. */
  readonly note?: string;
  /** Why it failed, in one line. */
  readonly message?: string;
  readonly expected?: unknown;
  readonly seen?: unknown;
  readonly nearMisses?: readonly NearMiss[];
  readonly chain?: readonly ChainLink[];
}

/** Something that a passing run did not test although it looks as if. */
export interface Remark {
  readonly about: "fault" | "capture" | "expectation";
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

/** A call or delivery in a report: what a reader needs of it. */
export interface CallSummary {
  readonly id: string;
  readonly at: number;
  readonly by: "client" | "scenario";
  readonly summary: string;
  readonly body: unknown;
  readonly status: number | null;
  readonly response: unknown;
}

/** What became of one run of a scenario. */
export interface Report {
  readonly name: string;
  readonly file?: string;
  readonly ok: boolean;
  readonly sandbox: string;
  readonly durationMs: number;
  readonly steps: readonly StepReport[];
  readonly warnings: readonly WarningSummary[];
  /** What the scenario holds and the run did not need: `--strict-scenario` makes these failures. */
  readonly remarks: readonly Remark[];
  /** Calls by the client that no step expected. Always there, so that a passing run shows them too. */
  readonly unexpected: readonly CallSummary[];
  /** After a failure: the conversations of the run as people read them, in Markdown, one for each thread. */
  readonly transcript?: string;
  /** After a failure: the newest calls, oldest first. */
  readonly journal?: readonly CallSummary[];
}
