import { Random, seedOf } from "../kernel/random.js";

/** @throws RangeError where a list has no such item */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} among ${items.length}`);
  return item;
}

/** Chance that a seed and a name decide, so that each record's is its own and the order of making them does not matter. */
export class Dice {
  readonly #random: Random;

  constructor(seed: number, name: string) {
    this.#random = new Random(seedOf(`${seed}/${name}`));
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.#random.fraction() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True in a share of the throws. */
  chance(share: number): boolean {
    return this.#random.fraction() < share;
  }

  /** One of several items. @throws RangeError where there are none */
  pick<T>(items: readonly T[]): T {
    return itemAt(items, this.below(items.length));
  }

  hex(length: number): string {
    return this.#random.hex(length);
  }
}
