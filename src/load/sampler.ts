import type { Transport } from "../client/transport.js";
import { LoopLag } from "../kernel/loop-lag.js";
import { elapsedSince, type Later, later, monotonicNow } from "../kernel/realtime.js";
import { type Counts, countsSince, type SimulatorFigures, simulatorFigures } from "./simulator-figures.js";
import type { Tally } from "./tally.js";
import { median, type Point, Timeline } from "./timeline.js";

const EVERY_MS = 1_000;

type Lag = SimulatorFigures["lag"];

/** Takes the figures of generator and simulator every second. */
export class Sampler {
  readonly timeline = new Timeline();
  readonly #tally: Tally;
  readonly #server: Transport;
  readonly #before: SimulatorFigures;
  readonly #started = monotonicNow();
  readonly #lag = new LoopLag();
  readonly #lags = { simulator: [] as Lag[], generator: [] as Lag[] };
  #last: { readonly messages: number; readonly replies: number; readonly failed: number; readonly s: number };
  #latest: SimulatorFigures;
  #pendingPeak = 0;
  #timer: Later | undefined;
  #sampling: Promise<unknown> = Promise.resolve();

  constructor(tally: Tally, server: Transport, before: SimulatorFigures) {
    this.#tally = tally;
    this.#server = server;
    this.#before = before;
    this.#latest = before;
    this.#last = { messages: 0, replies: 0, failed: 0, s: 0 };
  }

  /** Begins; `onPoint` is told of each second. */
  start(onPoint: (point: Point) => void): void {
    this.#timer = later(EVERY_MS, () => {
      this.#sampling = this.#sample().then((point) => {
        onPoint(point);
        if (this.#timer !== undefined) this.start(onPoint);
      });
    });
  }

  /** Takes the last figures. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#sampling;
    await this.#sample();
    this.#lag.close();
  }

  /** Since the start, ms. */
  get elapsedMs(): number {
    return elapsedSince(this.#started, 0);
  }

  get calls(): Counts {
    return countsSince(this.#before.calls, this.#latest.calls);
  }

  get deliveries(): Counts {
    return countsSince(this.#before.deliveries, this.#latest.deliveries);
  }

  get pendingPeak(): number {
    return this.#pendingPeak;
  }

  lagOf(whose: "simulator" | "generator"): Lag {
    const lags = this.#lags[whose];
    return {
      p50: rounded(median(lags.map(({ p50 }) => p50))),
      p99: rounded(median(lags.map(({ p99 }) => p99))),
      max: rounded(lags.reduce((most, { max }) => Math.max(most, max), 0)),
    };
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
    const s = rounded(this.elapsedMs / 1_000);
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
    this.timeline.add(point);
    return point;
  }
}

/** Seconds whose lag is kept: a day. */
const MAX_LAGS = 86_400;

function keep(lags: Lag[], lag: Lag): void {
  lags.push(lag);
  if (lags.length > MAX_LAGS) lags.shift();
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
