import { omitUndefined } from "../../kernel/objects.js";
import type { InferReadonly } from "../../kernel/schema.js";
import { array, object, oneOf, optional, string, unknown } from "../../kernel/schema.js";
import { alternativesOf } from "./alternatives.js";
import { evidenceSchema, SOURCES, type ValueEvidence } from "./entry.js";
import type { BehaviourKey, BehaviourValues } from "./table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, OBSERVED, PROFILES } from "./table.js";

type ReadCounts = number[];

export const noReads = (): ReadCounts => BEHAVIOUR_KEYS.map(() => 0);

/** The current values of a behaviour, which note every read: in the counts, in the keys of one call, or in both. */
class ConsultedValues {
  constructor(
    readonly behaviour: Behaviour,
    readonly counts: ReadCounts | undefined,
    readonly keys: BehaviourKey[] | undefined,
  ) {}
}

for (const [index, key] of BEHAVIOUR_KEYS.entries()) {
  Object.defineProperty(ConsultedValues.prototype, key, {
    get(this: ConsultedValues) {
      const { behaviour, counts, keys } = this;
      if (counts !== undefined) counts[index] = (counts[index] ?? 0) + 1;
      keys?.push(key);
      return behaviour.list[index];
    },
  });
}

export const behaviourRowSchema = object({
  key: oneOf(BEHAVIOUR_KEYS),
  section: string({ description: "the section of the specification that leaves the question open" }),
  question: string(),
  default: unknown(),
  alternatives: optional(
    array(unknown(), { description: "the values besides the default, if they are few" }),
  ),
  value: unknown({ description: "the current value" }),
  source: oneOf(SOURCES),
  evidence: optional({
    ...evidenceSchema,
    description: "for the source observed: the evidence of the value",
  }),
});
/** A row as `GET /__sim/behaviour` shows it. */
export type BehaviourRow = InferReadonly<typeof behaviourRowSchema>;

export class Behaviour {
  /** All values, by key. A value object: a later `patch` does not change it. */
  values = PROFILES.documented;
  /** The values in the order of the keys. */
  list: readonly unknown[] = [];
  /** The current values, for rules: every read is counted. */
  readonly counted: BehaviourValues;

  constructor(
    values: Partial<BehaviourValues> = {},
    private readonly reads = noReads(),
  ) {
    this.patch(values);
    this.counted = this.consultedInto(undefined, true);
  }

  /** The current values for one call: adds each key that it reads to `keys`, and counts the read if `isCounted`. */
  consultedInto(keys: BehaviourKey[] | undefined, isCounted: boolean): BehaviourValues {
    // The loop above defines a property for each key.
    return new ConsultedValues(this, isCounted ? this.reads : undefined, keys) as unknown as BehaviourValues;
  }

  /** Changes some values, already validated against `behaviourSchema`. */
  patch(values: Partial<BehaviourValues>): void {
    this.values = Object.freeze({ ...this.values, ...values });
    this.list = BEHAVIOUR_KEYS.map((key) => this.values[key]);
  }

  rows(): BehaviourRow[] {
    return BEHAVIOUR_KEYS.map((key) => {
      const entry = BEHAVIOUR_TABLE[key];
      const { section, question, default: documented, source } = entry;
      const others = omitUndefined({ alternatives: alternativesOf(entry) });
      const row = { key, section, question, default: documented, ...others, value: this.values[key] };
      const evidence = this.evidenceOf(key);
      return evidence === undefined ? { ...row, source } : { ...row, source: "observed", evidence };
    });
  }

  /** The evidence for the current value; undefined if it was not measured or has been changed since. */
  evidenceOf(key: BehaviourKey): ValueEvidence | undefined {
    const evidence = this.values[OBSERVED]?.[key];
    if (evidence === undefined) return undefined;
    const { value, ...shown } = evidence;
    return JSON.stringify(value) === JSON.stringify(this.values[key]) ? shown : undefined;
  }
}
