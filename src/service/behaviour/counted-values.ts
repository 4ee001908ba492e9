import type { BehaviourValues } from "./table.js";
import { BEHAVIOUR_KEYS } from "./table.js";

/** How often each key was read, in the order of `BEHAVIOUR_KEYS`. */
export type ReadCounts = number[];

export const noReads = (): ReadCounts => BEHAVIOUR_KEYS.map(() => 0);

/** Behaviour values each of which counts when it is read. */
class CountedValues {
  readonly list: readonly unknown[];
  readonly counts: ReadCounts;

  constructor(values: BehaviourValues, counts: ReadCounts) {
    this.list = BEHAVIOUR_KEYS.map((key) => values[key]);
    this.counts = counts;
  }
}

for (const [index, key] of BEHAVIOUR_KEYS.entries()) {
  Object.defineProperty(CountedValues.prototype, key, {
    get(this: CountedValues) {
      this.counts[index] = (this.counts[index] ?? 0) + 1;
      return this.list[index];
    },
  });
}

/** The same values; whoever reads one of them is counted. */
export const countedValues = (values: BehaviourValues, counts: ReadCounts): BehaviourValues =>
  // The loop above gives it a property for each key.
  new CountedValues(values, counts) as unknown as BehaviourValues;
