/** What a bundle holds beside the state, checked more closely than what a store has written itself: anybody may send one. */
import { fromKeys, keysOf } from "../kernel/keys.js";
import type { Infer, InferReadonly } from "../kernel/schema.js";
import { array, object, optional, unknown } from "../kernel/schema.js";
import { deliverySchema } from "../sandbox/deliveries.js";
import { controlRecordSchema, requestRecordSchema, warningSchema } from "../sandbox/journal.js";
import { scenarioRunSchema } from "../sandbox/observer.js";
import { threadChangeSchema } from "../sandbox/threads.js";
import type { Token } from "../service/world/records.js";
import type { allValuesSchema, SimulatorSection } from "./base-document.js";
import { instant } from "./base-document.js";

/** The logs, each with the letter of its ids, the schema of its entries, and how it stands in a bundle before these are looked at. */
export const LOGS = {
  requests: { prefix: "r", schema: requestRecordSchema, list: array(unknown()) },
  deliveries: { prefix: "d", schema: deliverySchema, list: array(unknown()) },
  warnings: { prefix: "w", schema: warningSchema, list: array(unknown()) },
  controls: { prefix: "c", schema: controlRecordSchema, list: array(unknown()) },
  // Bundles of earlier versions have none.
  changes: { prefix: "s", schema: threadChangeSchema, list: optional(array(unknown())) },
} as const;

/** `journal`, before each entry is looked at. */
export const journalSchema = object({
  at: instant(),
  ...fromKeys(keysOf(LOGS), (log) => LOGS[log].list),
  scenarioRun: optional(scenarioRunSchema),
});

type Entries = {
  readonly [Log in keyof typeof LOGS]: readonly InferReadonly<(typeof LOGS)[Log]["schema"]>[];
};

/** A bundle in which all of this is right. */
export interface BundleDocument {
  readonly simulator: SimulatorSection & { readonly values: Infer<typeof allValuesSchema> };
  readonly journal: Pick<Infer<typeof journalSchema>, "at" | "scenarioRun"> &
    Omit<Entries, "changes"> &
    Partial<Entries>;
  /** Beside the other collections. */
  readonly tokens?: readonly Token[];
}
