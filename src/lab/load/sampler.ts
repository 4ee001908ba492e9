/** Figures of generator and simulator over time. */
import type { Transport } from "../../client/transport.js";
import { LoopLag } from "../../kernel/metrics.js";
import { elapsedSince, monotonicNow } from "../../kernel/realtime.js";
import { Finish } from "./arrivals.js";
import type { Point } from "./report.js";
import { Latency, type Tally } from "./tally.js";

const EVERY_MS = 1_000;

/**
 * Samples generator and simulator every second, until the returned function is called. That returns what of a report follows
 * from the samples.
 *
 * @throws SimError
 */
export async function startSampling(tally: Tally, server: Transport, onPoint: (point: Point) => void) {
  const before = await simulatorFigures(server);
  const started = monotonicNow();
  const generatorLag = new LoopLag();
  const lags = { simulator: new LagOverTime(), generator: new LagOverTime() };
  let timeline: readonly Point[] = [];
  let latest = before;
  let pendingPeak = 0;
  let last = { messages: 0, replies: 0, failed: 0, s: 0 };
  const sample = async () => {
    latest = await simulatorFigures(server).catch(() => latest);
    const { median, p99, max } = generatorLag.take();
    const generator = { p50: median * 1_000, p99: p99 * 1_000, max: max * 1_000 };
    pendingPeak = Math.max(pendingPeak, latest.pending);
    lags.simulator.record(latest.lag);
    lags.generator.record(generator);
    const { messages, replies, failed, alive } = tally;
    const s = rounded(elapsedSince(started, 0) / 1_000);
    const point: Point = {
      s,
      length: rounded(s - last.s),
      customers: alive,
      messages: messages - last.messages,
      replies: replies - last.replies,
      failures: failed - last.failed,
      ...tally.latency.takeRecent(),
      simulatorLag: rounded(latest.lag.p99),
      generatorLag: rounded(generator.p99),
    };
    last = { messages, replies, failed, s };
    timeline = withPoint(timeline, point);
    return point;
  };
  const end = new Finish();
  const sampleUntilEnd = async () => {
    while (await end.pause(EVERY_MS)) onPoint(await sample());
  };
  const sampling = sampleUntilEnd();
  return async () => {
    end.come();
    await sampling;
    await sample();
    generatorLag.close();
    return {
      durationMs: elapsedSince(started, 0),
      calls: countsSince(before.calls, latest.calls),
      deliveries: countsSince(before.deliveries, latest.deliveries),
      pendingPeak,
      lag: { simulator: lags.simulator.figures, generator: lags.generator.figures },
      timeline,
    };
  };
}

type Lag = SimulatorFigures["lag"];

/** Event loop lag, second by second. */
class LagOverTime {
  readonly #p50 = new Latency();
  readonly #p99 = new Latency();
  readonly #max = new Latency();

  record({ p50, p99, max }: Lag): void {
    this.#p50.record(p50);
    this.#p99.record(p99);
    this.#max.record(max);
  }

  /** The lag of the median second, and the most of all. */
  get figures(): Lag {
    return { p50: this.#p50.at(50) ?? 0, p99: this.#p99.at(50) ?? 0, max: this.#max.at(100) ?? 0 };
  }
}

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
    const pairs = [...labels.matchAll(LABEL)].map(([, label, text]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** @throws SimError */
async function simulatorFigures(server: Transport): Promise<SimulatorFigures> {
  const samples = samplesIn(await server.call<string>("GET", "/metrics"));
  const of = (name: string) => samples.filter((sample) => sample.name === `messaging_sim_${name}`);
  const counts = (name: string): Counts =>
    Object.fromEntries(of(name).map(({ labels, value }) => [Object.values(labels).join(" "), value]));
  const lagAt = (percentile: string) =>
    1_000 * (of("event_loop_lag_seconds").find(({ labels }) => labels.percentile === percentile)?.value ?? 0);
  return {
    calls: counts("requests_total"),
    deliveries: counts("deliveries_total"),
    pending: of("deliveries_pending")[0]?.value ?? 0,
    lag: { p50: lagAt("50"), p99: lagAt("99"), max: lagAt("100") },
  };
}

/** The increase between two readings, without zeros. */
export const countsSince = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([key, value]) => [key, value - (before[key] ?? 0)] as const)
      .filter(([, more]) => more !== 0),
  );

/** Beyond so many points, pairs are merged. */
const MAX_POINTS = 1_200;

export function withPoint(points: readonly Point[], point: Point): readonly Point[] {
  if (points.length < MAX_POINTS) return [...points, point];
  const pairs = points.filter((_, at) => at % 2 === 0);
  return [...pairs.map((first, at) => joined(first, points[at * 2 + 1] as Point)), point];
}

/** Adds counts, and keeps the worse of everything else. */
const joined = (one: Point, other: Point): Point => ({
  s: other.s,
  length: one.length + other.length,
  messages: one.messages + other.messages,
  replies: one.replies + other.replies,
  failures: one.failures + other.failures,
  customers: Math.max(one.customers, other.customers),
  p50: worse(one.p50, other.p50),
  p99: worse(one.p99, other.p99),
  simulatorLag: Math.max(one.simulatorLag, other.simulatorLag),
  generatorLag: Math.max(one.generatorLag, other.generatorLag),
});

const worse = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
