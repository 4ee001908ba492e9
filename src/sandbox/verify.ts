import type { Sliced } from "../kernel/slices.js";
import type { TrafficKind } from "./kinds.js";
import type { Literal } from "./literals.js";
import type { Log, Logged } from "./log.js";
import type { NearMiss } from "./misses.js";
import { MAX_MISSES, nearestMisses } from "./misses.js";

/** How many entries there are to be; without `max` any number from `min` on. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

interface Verdict<E> {
  readonly ok: boolean;
  /** How many entries match. */
  readonly count: number;
  /** How many entries were evicted that could have mattered. */
  readonly evicted: number;
  /** Where there are too few. */
  readonly nearMisses: readonly NearMiss<E>[];
  /** The newest of those that match, where there are too many. */
  readonly surplus: readonly E[];
}

const hasAll = <E>(literals: readonly Literal<E>[], entry: E): boolean =>
  literals.every(({ read, value }) => read(entry) === value);

/** Says of entries whether they match as they are at that moment. */
export function matcher<E extends Logged, M>(kind: TrafficKind<E, M>, match: M): (entry: E) => boolean {
  const alternatives = kind.literals(match);
  return (entry) =>
    alternatives.some((literals) => hasAll(literals, entry)) && kind.differences(match, entry).length === 0;
}

/**
 * Says in steps whether a log holds as many matching entries as it should. Entries that were evicted could have matched:
 * unless what is left is enough and more would do no harm, the verdict is not ok.
 */
export function* verify<E extends Logged, M>(
  kind: TrafficKind<E, M>,
  log: Log<E>,
  match: M,
  { min, max }: CountRange,
): Sliced<Verdict<E>> {
  const isMatch = matcher(kind, match);
  const found: E[] = [];
  for (const entry of log.from()) {
    if (isMatch(entry)) found.push(entry);
    yield;
  }
  const count = found.length;
  const lost = log.evictedSince(0);
  const enough = count >= min;
  const evicted = enough && max === Number.POSITIVE_INFINITY ? 0 : lost;
  return {
    ok: enough && count <= max && evicted === 0,
    count,
    evicted,
    nearMisses: enough ? [] : yield* nearestMisses(kind, log, match),
    surplus: count > max ? found.slice(-MAX_MISSES) : [],
  };
}
