/** What a load was like over time, in a bounded number of points. */
import type { Point } from "./report.js";

export type { Point } from "./report.js";

/** Beyond so many points two become one. */
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

/** Counts are added up; of latencies and lags the worse one stays. */
function joined(first: Point, second: Point | undefined): Point {
  if (second === undefined) return first;
  const worse = (a: number | null, b: number | null) =>
    a === null || b === null ? (a ?? b) : Math.max(a, b);
  return {
    s: second.s,
    length: first.length + second.length,
    customers: Math.max(first.customers, second.customers),
    messages: first.messages + second.messages,
    replies: first.replies + second.replies,
    failures: first.failures + second.failures,
    p50: worse(first.p50, second.p50),
    p99: worse(first.p99, second.p99),
    simulatorLag: Math.max(first.simulatorLag, second.simulatorLag),
    generatorLag: Math.max(first.generatorLag, second.generatorLag),
  };
}

/** The middle of some numbers; 0 where there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
