import type { StepLocation } from "../scenarios/report.js";
import { Buckets } from "./buckets.js";
import { Latency } from "./latency.js";

/** Why a conversation failed: no reply in time, a reply that does not fit, or any other step that failed. */
export type FailureKind = "timeout" | "wrong" | "other";

/** How a conversation ended; `unfinished`: the load was over before it was. */
export type Ending =
  | { readonly how: "done" | "unfinished" }
  | {
      readonly how: "failed";
      readonly kind: FailureKind;
      readonly step: string;
      readonly place: StepLocation;
      readonly message: string;
    };

/** Failures of one kind at one step. */
interface StepFailures {
  readonly kind: FailureKind;
  readonly step: string;
  readonly place: StepLocation;
  count: number;
  /** Of the first of them. */
  readonly message: string;
}

/** What a load has come to so far. Its size depends on the steps of the scenarios, not on how long it goes on. */
export class Tally {
  readonly latency = new Latency();
  /** From when a message was due until the simulator had taken it. */
  readonly sending = new Latency();
  readonly buckets = new Buckets();
  readonly #failures = new Map<string, StepFailures>();
  /** Conversations that have begun. */
  started = 0;
  done = 0;
  failed = 0;
  unfinished = 0;
  /** Arrivals for which there was no room. */
  turnedAway = 0;
  /** The most customers there were at once. */
  peak = 0;
  /** What customers and employees wrote. */
  messages = 0;
  /** Visible messages of the system under test that a `reply` took. */
  replies = 0;
  timeouts = 0;
  wrong = 0;
  /** Visible messages of the system under test that no step asked for. */
  unasked = 0;

  /** Customers at it now. */
  get alive(): number {
    return this.started - this.ended;
  }

  get ended(): number {
    return this.done + this.failed + this.unfinished;
  }

  begin(): void {
    this.started += 1;
    this.peak = Math.max(this.peak, this.alive);
  }

  /** Somebody wrote: the simulator took it so many ms after it was due. */
  wrote(ms: number): void {
    this.messages += 1;
    this.sending.record(ms);
  }

  /** A reply came, so many ms after what it answers was due; undefined where it answers nothing. */
  replied(ms: number | undefined): void {
    this.replies += 1;
    if (ms === undefined) return;
    this.latency.record(ms);
    this.buckets.record(ms);
  }

  end(ending: Ending): void {
    this[ending.how] += 1;
    if (ending.how !== "failed") return;
    const { kind, step, place, message } = ending;
    if (kind === "timeout") this.timeouts += 1;
    if (kind === "wrong") this.wrong += 1;
    const key = JSON.stringify([kind, place]);
    const known = this.#failures.get(key);
    if (known === undefined) this.#failures.set(key, { kind, step, place, message, count: 1 });
    else known.count += 1;
  }

  /** The most frequent first. */
  get failures(): readonly StepFailures[] {
    return [...this.#failures.values()].sort((a, b) => b.count - a.count);
  }
}
