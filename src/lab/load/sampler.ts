/** Figures of generator and simulator over time. */
import type { Transport } from "../../client/transport.js";
import { LoopLag } from "../../kernel/metrics.js";
import { keysOf } from "../../kernel/objects.js";
import type { Later } from "../../kernel/realtime.js";
import { elapsedSince, later, monotonicNow } from "../../kernel/realtime.js";
import type { Point } from "./report.js";
import type { Tally } from "./tally.js";

const EVERY_MS = 1_000;

type Lag = SimulatorFigures["lag"];

/** Samples generator and simulator every second. */
export class Sampler {
  readonly #timeline = new Timeline();
  readonly #tally: Tally;
  readonly #server: Transport;
  readonly #before: SimulatorFigures;
  readonly #started = monotonicNow();
  readonly #lag = new LoopLag();
  readonly #lags = { simulator: [] as Lag[], generator: [] as Lag[] };
  #last = { messages: 0, replies: 0, failed: 0, s: 0 };
  #latest: SimulatorFigures;
  #pendingPeak = 0;
  #timer: Later | undefined;
  #sampling: Promise<unknown> = Promise.resolve();

  constructor(tally: Tally, server: Transport, before: SimulatorFigures) {
    this.#tally = tally;
    this.#server = server;
    this.#before = before;
    this.#latest = before;
  }

  start(onPoint: (point: Point) => void): void {
    this.#timer = later(EVERY_MS, () => {
      this.#sampling = this.#sample().then((point) => {
        onPoint(point);
        if (this.#timer !== undefined) this.start(onPoint);
      });
    });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#sampling;
    await this.#sample();
    this.#lag.close();
  }

  /** What of a report follows from the samples. */
  figures() {
    return {
      durationMs: this.#elapsedMs,
      calls: countsSince(this.#before.calls, this.#latest.calls),
      deliveries: countsSince(this.#before.deliveries, this.#latest.deliveries),
      pendingPeak: this.#pendingPeak,
      lag: { simulator: typical(this.#lags.simulator), generator: typical(this.#lags.generator) },
      timeline: this.#timeline.points,
    };
  }

  get #elapsedMs(): number {
    return elapsedSince(this.#started, 0);
  }

  async #sample(): Promise<Point> {
    const figures = await simulatorFigures(this.#server).catch(() => this.#latest);
    const { median: p50, p99, max } = this.#lag.take();
    const generator = { p50: p50 * 1_000, p99: p99 * 1_000, max: max * 1_000 };
    this.#latest = figures;
    this.#pendingPeak = Math.max(this.#pendingPeak, figures.pending);
    keep(this.#lags.simulator, figures.lag);
    keep(this.#lags.generator, generator);
    const { messages, replies, failed, alive } = this.#tally;
    const s = rounded(this.#elapsedMs / 1_000);
    const point: Point = {
      s,
      length: rounded(s - this.#last.s),
      customers: alive,
      messages: messages - this.#last.messages,
      replies: replies - this.#last.replies,
      failures: failed - this.#last.failed,
      ...this.#tally.latency.takeRecent(),
      simulatorLag: rounded(figures.lag.p99),
      generatorLag: rounded(generator.p99),
    };
    this.#last = { messages, replies, failed, s };
    this.#timeline.add(point);
    return point;
  }
}

/** Keeps the lag of so many seconds: a day. */
const MAX_LAGS = 86_400;

function keep(lags: Lag[], lag: Lag): void {
  lags.push(lag);
  if (lags.length > MAX_LAGS) lags.shift();
}

/** The lag of the median second, and the most of all. */
const typical = (lags: readonly Lag[]): Lag => ({
  p50: rounded(median(lags.map(({ p50 }) => p50))),
  p99: rounded(median(lags.map(({ p99 }) => p99))),
  max: rounded(lags.reduce((most, { max }) => Math.max(most, max), 0)),
});

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

type Counts = Readonly<Record<string, number>>;

interface SimulatorFigures {
  /** Such as `sendMessageToCustomerThread 2xx`. */
  readonly calls: Counts;
  readonly deliveries: Counts;
  readonly pending: number;
  /** Event loop lag since the last request for metrics, ms. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly max: number };
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const samplesIn = (text: string): Sample[] =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label = "", text = ""]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** @throws SimError */
export async function simulatorFigures(server: Transport): Promise<SimulatorFigures> {
  const samples = samplesIn(await server.call<string>("GET", "/metrics"));
  const of = (name: string) => samples.filter((sample) => sample.name === `messaging_sim_${name}`);
  const counts = (name: string, key: (labels: Sample["labels"]) => string): Counts =>
    Object.fromEntries(of(name).map(({ labels, value }) => [key(labels), value]));
  const lagAt = (percentile: string) =>
    1_000 * (of("event_loop_lag_seconds").find(({ labels }) => labels.percentile === percentile)?.value ?? 0);
  return {
    calls: counts("requests_total", ({ operation, status }) => `${operation} ${status}`),
    deliveries: counts("deliveries_total", ({ status = "" }) => status),
    pending: of("deliveries_pending")[0]?.value ?? 0,
    lag: { p50: lagAt("50"), p99: lagAt("99"), max: lagAt("100") },
  };
}

/** The increase between two readings, without zeros. */
export const countsSince = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after).flatMap(([key, value]) => {
      const more = value - (before[key] ?? 0);
      return more === 0 ? [] : [[key, more]];
    }),
  );

/** Beyond so many points, pairs are merged. */
const MAX_POINTS = 1_200;

export class Timeline {
  #points: Point[] = [];

  get points(): readonly Point[] {
    return this.#points;
  }

  add(point: Point): void {
    this.#points.push(point);
    if (this.#points.length <= MAX_POINTS) return;
    const pairs = this.#points.filter((_, at) => at % 2 === 0);
    this.#points = pairs.map((first, at) => joined(first, this.#points[at * 2 + 1]));
  }
}

const COUNTS: readonly string[] = ["length", "messages", "replies", "failures"];

/** Adds counts, and keeps the worse of everything else. */
function joined(first: Point, second: Point = first): Point {
  if (second === first) return first;
  const figures = keysOf(first).map((key) => {
    const [a, b] = [first[key], second[key]];
    return [key, a === null || b === null ? (a ?? b) : COUNTS.includes(key) ? a + b : Math.max(a, b)];
  });
  return Object.fromEntries(figures) as Point;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
