import type { ProfileName } from "../../kernel/names.js";
import { keysOf } from "../../kernel/objects.js";
import { type Infer, object, optional, record } from "../../kernel/schema.js";
import { ANSWERS, type REFUSAL_ANSWERS } from "./answers.js";
import { type BehaviourEntry, evidenceSchema, type ValueEvidence } from "./entry.js";
import { CONVERSATION_POLICIES } from "./policies/conversations.js";
import { REQUEST_POLICIES } from "./policies/requests.js";
import { WEBHOOK_POLICIES } from "./policies/webhooks.js";

export const POLICIES = {
  ...REQUEST_POLICIES,
  ...CONVERSATION_POLICIES,
  ...WEBHOOK_POLICIES,
} as const;

/** Every behaviour that the specification leaves open: nothing else decides what the simulator does beyond it. */
export const BEHAVIOUR_TABLE = { ...POLICIES, ...ANSWERS } as const;

/** The key of a behaviour file that holds the evidence for its values. */
export const OBSERVED = "observed";

/** A key of the behaviour table, such as `window.duration`. */
export type BehaviourKey = keyof typeof BEHAVIOUR_TABLE;
/** A key whose value is an answer: status and body. */
export type AnswerKey = keyof typeof ANSWERS;
export type RefusalAnswerKey = keyof typeof REFUSAL_ANSWERS;
type ObservedEvidence = Readonly<Partial<Record<BehaviourKey, ValueEvidence>>>;
/** The value of each key, and the evidence for measured ones. */
export type BehaviourValues = {
  readonly [K in BehaviourKey]: Infer<(typeof BEHAVIOUR_TABLE)[K]["schema"]>;
} & { readonly [OBSERVED]?: ObservedEvidence };

export const BEHAVIOUR_KEYS = keysOf(BEHAVIOUR_TABLE);
export const observedSchema = record(evidenceSchema, {
  propertyNames: { enum: BEHAVIOUR_KEYS },
  description: "the evidence of observed values (messaging-sim compare)",
});
export const isBehaviourKey = (key: string): key is BehaviourKey => Object.hasOwn(BEHAVIOUR_TABLE, key);

/** A behaviour file or `PATCH` body: any of the keys, each with a value of its entry, and the evidence for measured ones. */
export const behaviourSchema = object(
  Object.fromEntries([
    ...BEHAVIOUR_KEYS.map((key) => {
      const entry: BehaviourEntry = BEHAVIOUR_TABLE[key];
      // YAML reads the word null as no value.
      const { enum: words } = entry.schema;
      const takesNull = words?.includes("null") && { type: ["string", "null"], enum: [...words, null] };
      return [
        key,
        optional({
          ...entry.schema,
          ...takesNull,
          description: `${entry.question} Default: ${JSON.stringify(entry.default)}.`,
        }),
      ] as const;
    }),
    [OBSERVED, optional(observedSchema)] as const,
  ]),
  { title: "messaging-sim behaviour", $schema: "https://json-schema.org/draft/2020-12/schema" },
);

const valuesOf = (pick: (entry: BehaviourEntry) => unknown): BehaviourValues =>
  // Object.fromEntries loses which value belongs to which key.
  Object.freeze(
    Object.fromEntries(BEHAVIOUR_KEYS.map((key) => [key, pick(BEHAVIOUR_TABLE[key])])) as BehaviourValues,
  );

export const PROFILES = {
  documented: valuesOf((entry) => entry.default),
  realistic: valuesOf((entry) => entry.realistic ?? entry.default),
} as const satisfies Record<ProfileName, BehaviourValues>;

export const STRICT: Partial<BehaviourValues> = {
  "ids.acceptNumbers": "reject",
  "body.unknownFields": "reject",
  "headers.contentTypeOnGet": "require",
};

/** The values that differ from the profile `documented`. */
export const differing = (values: Partial<BehaviourValues>): Partial<BehaviourValues> =>
  Object.fromEntries(
    keysOf(values)
      .filter((key) => JSON.stringify(values[key]) !== JSON.stringify(PROFILES.documented[key]))
      .map((key) => [key, values[key]]),
  );
