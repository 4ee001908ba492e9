/** Whether a log holds what it should, and what comes nearest where it does not. */
import { BOUNDS } from "../kernel/bounds.js";
import { CostlyMatch, MatchBudget } from "../kernel/linear-regex.js";
import type { Difference } from "../kernel/matching.js";
import type { Log, Logged } from "./log.js";
import type { TrafficKind } from "./match.js";

/** An entry that is almost what was asked for, and where it is not. */
export interface NearMiss<E> {
  readonly id: string;
  readonly entry: E;
  readonly differences: readonly Difference[];
}

const MAX_MISSES = 5;

/** The entries of a log that come nearest to a match without being one. */
export const nearestMisses = <E extends { readonly id: string }, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  since = 0,
  budget = new MatchBudget(),
): NearMiss<E>[] =>
  nearestOf(
    log.from(Math.max(since, log.mark - BOUNDS.nearMissEntries.limit)),
    (entry) => kind.differences(match, entry, undefined, budget),
    kind.weights,
  );

/** The entries that differ least, the nearest first, of equal ones the newest first; of those that are not too expensive to compare. */
export function nearestOf<E extends { readonly id: string }>(
  entries: Iterable<E>,
  differencesOf: (entry: E) => readonly Difference[],
  weights: Readonly<Record<string, number>> = {},
): NearMiss<E>[] {
  const best: { readonly miss: NearMiss<E>; readonly distance: number }[] = [];
  try {
    for (const entry of entries) {
      const differences = differencesOf(entry);
      if (differences.length === 0) continue;
      const distance = differences.reduce((sum, { path }) => sum + (weights[path] ?? 1), 0);
      const position = best.findIndex((other) => distance <= other.distance);
      if (position < 0 && best.length === MAX_MISSES) continue;
      best.splice(position < 0 ? best.length : position, 0, {
        miss: { id: entry.id, entry, differences },
        distance,
      });
      best.length = Math.min(best.length, MAX_MISSES);
    }
  } catch (error) {
    if (!(error instanceof CostlyMatch)) throw error;
  }
  return best.map(({ miss }) => miss);
}

/** How many entries there are to be; without `max` any number from `min` on. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

interface Verdict<E> {
  readonly ok: boolean;
  readonly count: number;
  /** How many entries were evicted that could have mattered. */
  readonly evicted: number;
  readonly nearMisses: readonly NearMiss<E>[];
  readonly surplus: readonly E[];
}

/**
 * Says whether a log holds as many matching entries as it should. Entries that were evicted could have matched:
 * unless what is left is enough and more would do no harm, the verdict is not ok.
 *
 * @throws CostlyMatch
 */
export function verify<E extends Logged, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  { min, max }: CountRange,
  budget = new MatchBudget(),
): Verdict<E> {
  const found = [...log.from()].filter((entry) => kind.differences(match, entry, 1, budget).length === 0);
  const count = found.length;
  const lost = log.evictedSince(0);
  const enough = count >= min;
  const evicted = enough && max === Number.POSITIVE_INFINITY ? 0 : lost;
  return {
    ok: enough && count <= max && evicted === 0,
    count,
    evicted,
    nearMisses: enough ? [] : nearestMisses(kind, log, match, 0, budget),
    surplus: count > max ? found.slice(-MAX_MISSES) : [],
  };
}
