/** Upper bounds of the buckets in which latencies are counted for Prometheus, ms: those of several generators add up. */
const BUCKET_BOUNDS_MS = [
  1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_500, 10_000, 15_000, 30_000, 60_000,
] as const;

/** Counts latencies by bucket. */
export class Buckets {
  readonly #counts = new Array<number>(BUCKET_BOUNDS_MS.length + 1).fill(0);
  #sum = 0;

  record(ms: number): void {
    const found = BUCKET_BOUNDS_MS.findIndex((bound) => ms <= bound);
    const at = found < 0 ? BUCKET_BOUNDS_MS.length : found;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += ms;
  }

  /** How many latencies are at most as long as each bound; the last bound is none. */
  cumulative(): { readonly boundMs: number; readonly count: number }[] {
    let count = 0;
    return this.#counts.map((own, at) => {
      count += own;
      return { boundMs: BUCKET_BOUNDS_MS[at] ?? Number.POSITIVE_INFINITY, count };
    });
  }

  get sumMs(): number {
    return this.#sum;
  }
}
