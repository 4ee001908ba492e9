/** What happens in a sandbox: who causes it, and who is notified. */
import type { InferReadonly } from "../kernel/schema.js";
import { array, boolean, number, object, optional, string } from "../kernel/schema.js";
import type { RecordChange } from "../service/world/world.js";
import type { Delivery } from "./deliveries.js";
import type { ControlRecord, JournalEntry, Warning } from "./journal.js";
import type { TextEntry } from "./log.js";
import type { ThreadChange } from "./threads.js";

const others = { additionalProperties: true };
const callsSchema = array(object({ id: string(), summary: string() }, others));

/** The report of a scenario: the parts that its readers need. */
export const reportSchema = object(
  {
    name: string(),
    ok: boolean(),
    durationMs: number(),
    steps: array(
      object(
        {
          name: string(),
          ok: boolean(),
          place: object({ path: string() }, others),
          nearMisses: optional(callsSchema),
        },
        others,
      ),
    ),
    unexpected: callsSchema,
    transcript: optional(string()),
  },
  { ...others, description: "the report" },
);

export type RanScenario = InferReadonly<typeof reportSchema>;
export type RanStep = RanScenario["steps"][number];

export type ClearedLog = "requests" | "warnings";

export type Tell = <E extends keyof SandboxObserver>(
  event: E,
  ...about: Parameters<Required<SandboxObserver>[E]>
) => void;

/** Notified of what happens in a sandbox, over all its runs. Called synchronously: it must be quick and must not throw. */
export interface SandboxObserver {
  request?(entry: JournalEntry): void;
  delivery?(delivery: Delivery): void;
  warning?(warning: Warning): void;
  control?(record: TextEntry<ControlRecord>): void;
  change?(change: ThreadChange): void;
  cleared?(log: ClearedLog): void;
  step?(step: RanStep): void;
  ran?(report: RanScenario): void;
  /** A fault rule was added, removed, seen or fired. */
  fault?(): void;
  /** The clock was set or advanced; not called as real time passes. */
  clock?(): void;
  /** Records were replaced, by the named journal entry or control call; an empty list stands for the whole state. */
  state?(changes: readonly RecordChange[], causedBy: string | null): void;
  /** A new run has started. */
  reset?(): void;
  /** The sandbox is about to close here, and continues in another process. */
  moved?(): void;
  close?(): void;
}
