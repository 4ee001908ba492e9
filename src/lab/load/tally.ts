/** Counts and latencies of a load test so far. */
import { getOrInsert } from "../../kernel/objects.js";
import { loadPackage } from "../../kernel/packages.js";
import { formatProblem } from "../../kernel/problems.js";
import type { StepLocation } from "../../scenarios/report.js";

/** The failures of a step. */
interface StepFailures {
  /** No reply in time, a wrong reply, or anything else. */
  readonly kind: "timeout" | "wrong" | "other";
  readonly step: string;
  readonly place: string;
  /** Of the first. */
  readonly message: string;
  count: number;
}

/** `unfinished`: the load test was over first. */
export type Ending =
  | { readonly how: "done" | "unfinished" }
  | ({ readonly how: "failed"; readonly place: StepLocation } & Pick<
      StepFailures,
      "kind" | "step" | "message"
    >);

/** Its size depends on the number of steps, not on the duration. */
export class Tally {
  readonly latency = new Latency();
  /** From when a message was due until the simulator took it. */
  readonly sending = new Latency();
  readonly buckets = new Buckets();
  readonly #failures = new Map<string, StepFailures>();
  started = 0;
  done = 0;
  failed = 0;
  unfinished = 0;
  /** Arrivals above the limit on customers. */
  turnedAway = 0;
  /** The most customers at once. */
  peak = 0;
  /** Messages by customers and employees. */
  messages = 0;
  /** Visible messages of the system under test that a `reply` took. */
  replies = 0;
  timeouts = 0;
  wrong = 0;
  /** Visible messages of the system under test that no step asked for. */
  unasked = 0;

  /** Customers in a conversation now. */
  get alive(): number {
    return this.started - this.done - this.failed - this.unfinished;
  }

  begin(): void {
    this.started += 1;
    this.peak = Math.max(this.peak, this.alive);
  }

  /** A customer or an employee wrote; the simulator took the message `ms` after it was due. */
  wrote(ms: number): void {
    this.messages += 1;
    this.sending.record(ms);
  }

  /** A reply came `ms` after the message that it answers was due; undefined if it answers none. */
  replied(ms: number | undefined): void {
    this.replies += 1;
    if (ms !== undefined) this.waited(ms);
  }

  /** A reply took `ms`, or did not come within them: a latency that is known to be greater. */
  waited(ms: number): void {
    this.latency.record(ms);
    this.buckets.record(ms);
  }

  end(ending: Ending): void {
    this[ending.how] += 1;
    if (ending.how !== "failed") return;
    const { kind, step, place, message } = ending;
    if (kind === "timeout") this.timeouts += 1;
    if (kind === "wrong") this.wrong += 1;
    getOrInsert(this.#failures, JSON.stringify([kind, place]), () => {
      const where = formatProblem({ ...place, message: "" }).replace(/: $/, "");
      return { kind, step, place: where, message, count: 0 };
    }).count += 1;
  }

  /** Most frequent first. */
  get failures() {
    return [...this.#failures.values()].sort((a, b) => b.count - a.count);
  }
}

/** The part of `hdr-histogram-js` in use. */
interface Histogram {
  readonly totalCount: number;
  readonly maxValue: number;
  readonly mean: number;
  recordValue(value: number): void;
  getValueAtPercentile(percentile: number): number;
  reset(): void;
}

interface HistogramModule {
  readonly default: new (lowest: number, highest: number, digits: number) => Histogram;
}

/** Latencies are kept in µs, up to an hour. */
const PER_MS = 1_000;
const MAX_US = 3_600_000 * PER_MS;
const DIGITS = 3;

const newHistogram = (): Histogram =>
  new (loadPackage<HistogramModule>("hdr-histogram-js/dist/Int32Histogram.js").default)(1, MAX_US, DIGITS);

const CURVE = [0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99, 100];

/** Latencies of the whole run, and since the last sample, in fixed memory. */
export class Latency {
  readonly #all = newHistogram();
  readonly #recent = newHistogram();

  record(ms: number): void {
    const value = Math.min(MAX_US, Math.max(1, Math.round(ms * PER_MS)));
    this.#all.recordValue(value);
    this.#recent.recordValue(value);
  }

  /** In ms; null while there are no values. */
  at(percentile: number): number | null {
    return valueAt(this.#all, percentile);
  }

  /** In ms; null while there are no values. */
  get figures() {
    const mean = this.#all.totalCount === 0 ? null : inMs(this.#all.mean);
    const { totalCount: count } = this.#all;
    return { count, mean, p50: this.at(50), p90: this.at(90), p99: this.at(99), max: this.at(100) };
  }

  curve() {
    return CURVE.flatMap((percentile) => {
      const ms = this.at(percentile);
      return ms === null ? [] : [{ percentile, ms }];
    });
  }

  /** Median and 99th percentile since the last call. */
  takeRecent() {
    const recent = { p50: valueAt(this.#recent, 50), p99: valueAt(this.#recent, 99) };
    this.#recent.reset();
    return recent;
  }
}

const inMs = (us: number): number => Math.round(us) / PER_MS;

const valueAt = (histogram: Histogram, percentile: number): number | null =>
  histogram.totalCount === 0
    ? null
    : inMs(Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue));

/** Upper bounds of latency buckets for Prometheus, ms; those of several generators can be added up. */
const BUCKET_BOUNDS_MS = [
  1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_500, 10_000, 15_000, 30_000, 60_000,
] as const;

export class Buckets {
  /** The number of latencies up to each bound, the last of which is infinite. */
  readonly cumulative = [...BUCKET_BOUNDS_MS, Number.POSITIVE_INFINITY].map((boundMs) => ({
    boundMs,
    count: 0,
  }));
  sumMs = 0;

  record(ms: number): void {
    for (const bucket of this.cumulative) if (ms <= bucket.boundMs) bucket.count += 1;
    this.sumMs += ms;
  }
}
