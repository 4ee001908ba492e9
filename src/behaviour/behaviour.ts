import type { Alternatives } from "./alternatives.js";
import { alternativesOf } from "./alternatives.js";
import type { Source } from "./entry.js";
import type { BehaviourKey, BehaviourValues } from "./table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, PROFILES } from "./table.js";

/** A row as `GET /__sim/behaviour` shows it. */
export interface BehaviourRow {
  readonly key: BehaviourKey;
  readonly section: string;
  readonly question: string;
  readonly default: unknown;
  /** What could stand in place of the default: values where there are a few, else words. */
  readonly alternatives: Alternatives;
  readonly value: unknown;
  readonly source: Source;
}

/** The values that are in force in one sandbox. */
export class Behaviour {
  #values: BehaviourValues;

  constructor(values: Partial<BehaviourValues> = {}) {
    this.#values = Object.freeze({ ...PROFILES.documented, ...values });
  }

  /** All values, by key. A value object: a later `patch` does not change it. */
  get values(): BehaviourValues {
    return this.#values;
  }

  /** Changes some values; they must have been validated against `behaviourSchema`. */
  patch(values: Partial<BehaviourValues>): void {
    this.#values = Object.freeze({ ...this.#values, ...values });
  }

  rows(): BehaviourRow[] {
    return BEHAVIOUR_KEYS.map((key) => {
      const entry = BEHAVIOUR_TABLE[key];
      const { section, question, default: documented, source } = entry;
      const alternatives = alternativesOf(entry);
      return { key, section, question, default: documented, alternatives, value: this.#values[key], source };
    });
  }
}
