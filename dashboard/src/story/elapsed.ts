/** How long something took: in real time, or where nobody saw it by the sandbox's clock. */
export interface Elapsed {
  readonly ms: number;
  readonly isReal: boolean;
}

/** When something happened. */
interface Instant {
  /** By the sandbox's clock, ms. */
  readonly time: number;
  /** When the page heard of it, in ms of its own clock. */
  readonly heard: number | undefined;
}

/** The page hears of something at most so much later than it happened, ms. */
const MAX_DELAY_MS = 1_000;

/**
 * The time between two events. A running clock is exact, but it may have been moved; when the page heard of them is real,
 * but a little late. Undefined where a frozen clock is all that is known.
 */
export function elapsedBetween(from: Instant, to: Instant): Elapsed | undefined {
  const shown = to.time - from.time;
  if (from.heard === undefined || to.heard === undefined)
    return shown > 0 ? { ms: shown, isReal: false } : undefined;
  const real = to.heard - from.heard;
  return { ms: shown > 0 && Math.abs(real - shown) < MAX_DELAY_MS ? shown : real, isReal: true };
}
