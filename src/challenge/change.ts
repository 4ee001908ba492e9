/** What a challenge changes. */
import type { FaultInput } from "../client/types.js";
import type { CopyAnswer } from "./kind.js";
import type { ChallengeKindName } from "./kinds.js";

/** How a system under test used templates in an unchanged run. */
export interface TemplateUse {
  /** The conversation in which it listed or sent one first. */
  readonly thread: string;
  /** The step that was met by one, where a step was: its path in the scenario. */
  readonly step: string | undefined;
  /** What was refused even so. */
  readonly refused: ReadonlySet<string>;
}

/** What is different in the world around a system under test. */
export interface Change {
  readonly behaviour?: Readonly<Record<string, unknown>>;
  readonly faults: readonly FaultInput[];
  /** Added to the ids of threads and messages. */
  readonly offset: number;
  /** Other templates, or none: `use` is how the unchanged run used them. */
  readonly templates?: { readonly are: "renamed" | "empty"; readonly use: TemplateUse };
  /** Expectations wait so much longer, ms. */
  readonly patienceMs?: number;
  /** A step that waits for this lets go what the faults hold back. */
  readonly releasedBy?: "any wait" | "waits for deliveries";
  /** What must be answered to a copy that is sent before a delivery. */
  readonly copy?: CopyAnswer;
}

/** One change, with a name. */
export interface Challenge extends Change {
  /** `unavailable/sendMessageToCustomerThread`, `behaviour/ids.acceptNumbers=reject`, `ids-of-15-digits`. */
  readonly name: string;
  readonly kind: ChallengeKindName;
  /** What it is about, in a line. */
  readonly about: string;
}

/** The world as the scenario says. */
export const UNCHANGED: Change = { faults: [], offset: 0 };
