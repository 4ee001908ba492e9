import { Random, seedOf } from "../kernel/random.js";

/** @throws RangeError where a list has no such item */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} among ${items.length}`);
  return item;
}

/** Random choices that a seed and a name decide: each record has a sequence of its own, so their order does not matter. */
export class SeededRandom extends Random {
  constructor(seed: number, name: string) {
    super(seedOf(`${seed}/${name}`));
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of several items. @throws RangeError where there are none */
  pick<T>(items: readonly T[]): T {
    return itemAt(items, this.below(items.length));
  }
}
