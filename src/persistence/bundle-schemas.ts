/** What a bundle holds beside the state, checked more closely than what a store has written itself: anybody may send one. */
import type { Infer } from "../kernel/schema.js";
import { array, object, optional, unknown } from "../kernel/schema.js";
import type { ControlRecord } from "../sandbox/controls.js";
import { controlRecordSchema } from "../sandbox/controls.js";
import type { Delivery } from "../sandbox/deliveries.js";
import { deliverySchema } from "../sandbox/deliveries.js";
import type { RequestRecord, Warning } from "../sandbox/request-record.js";
import { requestRecordSchema, warningSchema } from "../sandbox/request-record.js";
import { scenarioRunSchema } from "../sandbox/scenario-run.js";
import type { ThreadChange } from "../sandbox/thread-changes.js";
import { threadChangeSchema } from "../sandbox/thread-changes.js";
import type { Token } from "../world/records.js";
import type { allValuesSchema, SimulatorSection } from "./base-document.js";
import { instant } from "./base-document.js";

/** `journal`, before each entry is looked at. */
export const journalSchema = object({
  at: instant(),
  requests: array(unknown()),
  deliveries: array(unknown()),
  warnings: array(unknown()),
  controls: array(unknown()),
  /** Bundles of earlier versions have none. */
  changes: optional(array(unknown())),
  scenarioRun: optional(scenarioRunSchema),
});

/** The logs, each with the letter of its ids and the schema of its entries. */
export const LOGS = {
  requests: { prefix: "r", schema: requestRecordSchema },
  deliveries: { prefix: "d", schema: deliverySchema },
  warnings: { prefix: "w", schema: warningSchema },
  controls: { prefix: "c", schema: controlRecordSchema },
  changes: { prefix: "s", schema: threadChangeSchema },
} as const;

/** A bundle in which all of this is right. */
export interface BundleDocument {
  readonly simulator: SimulatorSection & { readonly values: Infer<typeof allValuesSchema> };
  readonly journal: Pick<Infer<typeof journalSchema>, "at" | "scenarioRun"> & {
    readonly requests: readonly RequestRecord[];
    readonly deliveries: readonly Delivery[];
    readonly warnings: readonly Warning[];
    readonly controls: readonly ControlRecord[];
    readonly changes?: readonly ThreadChange[];
  };
  /** Beside the other collections. */
  readonly tokens?: readonly Token[];
}
