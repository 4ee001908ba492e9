import { BOUNDS } from "../kernel/bounds.js";
import type { Difference } from "../kernel/matching.js";
import type { Sliced } from "../kernel/slices.js";
import type { TrafficKind } from "./kinds.js";
import type { Log } from "./log.js";

/** An entry that is almost what was asked for, and where it is not. */
export interface NearMiss<E> {
  readonly id: string;
  readonly entry: E;
  readonly differences: readonly Difference[];
}

/** How far back near misses are looked for, and how many are told. */
const NEWEST = BOUNDS.nearMissEntries.limit;
export const MAX_MISSES = 5;

/** The entries of a log that come nearest to a match without being one. */
export const nearestMisses = <E extends { readonly id: string }, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  since = 0,
): Sliced<NearMiss<E>[]> =>
  nearestOf(
    log.from(Math.max(since, log.mark - NEWEST)),
    (entry) => kind.differences(match, entry),
    kind.weights,
  );

/** The entries that differ least, the nearest first, of equal ones the newest first; found in steps. */
export function* nearestOf<E extends { readonly id: string }>(
  entries: Iterable<E>,
  differencesOf: (entry: E) => readonly Difference[],
  weights: Readonly<Record<string, number>> = {},
): Sliced<NearMiss<E>[]> {
  const best: { readonly miss: NearMiss<E>; readonly distance: number }[] = [];
  for (const entry of entries) {
    yield;
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
  return best.map(({ miss }) => miss);
}
