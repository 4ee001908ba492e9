/** How long replies took: exact to three digits, in a fixed amount of memory. */
import { loadPackage } from "../kernel/load.js";

/** What of a histogram of `hdr-histogram-js` is used here. */
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

/** Latencies are kept in µs up to an hour; what took longer counts as an hour. */
const PER_MS = 1_000;
const MAX_US = 3_600_000 * PER_MS;
const DIGITS = 3;

const newHistogram = (): Histogram =>
  new (loadPackage<HistogramModule>("hdr-histogram-js/dist/Int32Histogram.js").default)(1, MAX_US, DIGITS);

/** The percentiles of the curve in the report. */
const CURVE = [0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99, 100];

/** ms; null while there is none. */
interface LatencyFigures {
  readonly count: number;
  readonly mean: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** The latencies of a whole run, and those since somebody last asked. */
export class Latency {
  readonly #all = newHistogram();
  readonly #recent = newHistogram();

  record(ms: number): void {
    const value = Math.min(MAX_US, Math.max(1, Math.round(ms * PER_MS)));
    this.#all.recordValue(value);
    this.#recent.recordValue(value);
  }

  /** ms; null while there is none. */
  at(percentile: number): number | null {
    return valueAt(this.#all, percentile);
  }

  get figures(): LatencyFigures {
    const mean = this.#all.totalCount === 0 ? null : inMs(this.#all.mean);
    const { totalCount: count } = this.#all;
    return { count, mean, p50: this.at(50), p90: this.at(90), p99: this.at(99), max: this.at(100) };
  }

  curve(): { readonly percentile: number; readonly ms: number }[] {
    return CURVE.flatMap((percentile) => {
      const ms = this.at(percentile);
      return ms === null ? [] : [{ percentile, ms }];
    });
  }

  /** Median and 99th percentile since the last time that this was asked. */
  takeRecent(): { readonly p50: number | null; readonly p99: number | null } {
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
