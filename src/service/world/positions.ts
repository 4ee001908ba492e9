import { isObject } from "../../kernel/json.js";
import type { Lookup } from "../../kernel/persistent.js";
import { idOf } from "./rules.js";

/** Where each id stands first in its collection. */
export type Positions = Lookup<number>;

/** Where each id stands first in a list of records that nobody vouches for. */
export function positionsOf(records: readonly unknown[]): Positions {
  const numbers = new Float64Array(records.length);
  let last = 0;
  for (let index = 0; index < records.length; index += 1) {
    const number = numberOf((records[index] as { readonly id?: unknown } | null)?.id);
    if (number <= last) return anyPositionsOf(records);
    last = numbers[index] = number;
  }
  return new AscendingIds(numbers);
}

function anyPositionsOf(records: readonly unknown[]): Positions {
  const positions = new Map<string, number>();
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index];
    const id = isObject(record) ? idOf(record) : undefined;
    if (id !== undefined && !positions.has(id)) positions.set(id, index);
  }
  return positions;
}

/** The ids of a service that counts them: a sorted list takes a tenth of a map's time to build, and of its memory. */
class AscendingIds implements Positions {
  readonly #numbers: Float64Array;

  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  get size(): number {
    return this.#numbers.length;
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  get(id: string): number | undefined {
    const numbers = this.#numbers;
    const number = numberOf(id);
    const [first = 0] = numbers;
    // Without gaps before it, an id is as far from the first as its number.
    if (numbers[number - first] === number) return number - first;
    let low = 0;
    for (let high = numbers.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((numbers[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return numbers[low] === number ? low : undefined;
  }
}

const [ZERO, NINE] = [0x30, 0x39] as const;
/** Any number of so many digits is exact. */
const MAX_DIGITS = 15;

/** The number that an id is written as; -1 for one that is no number, or not written as numbers are. */
function numberOf(id: unknown): number {
  if (typeof id !== "string" || id.length > MAX_DIGITS || id.charCodeAt(0) === ZERO) return -1;
  let number = 0;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    if (code < ZERO || code > NINE) return -1;
    number = number * 10 + code - ZERO;
  }
  return number;
}
