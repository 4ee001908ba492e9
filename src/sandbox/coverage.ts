/** Counts which rows of the tables calls and events have reached. */

import type { EventType } from "../kernel/names.js";
import type { InferReadonly } from "../kernel/schema.js";
import { array, boolean, integer, object, oneOf, string } from "../kernel/schema.js";
import { noReads } from "../service/behaviour/behaviour.js";
import { BEHAVIOUR_KEYS } from "../service/behaviour/table.js";
import type { DomainEvent } from "../service/domain/events.js";
import type { JournalEntry } from "./journal.js";

/** The source of an event: the author of a message, or who transferred the thread. */
export const EVENT_CAUSES = {
  message: ["customer", "employee", "api"],
  transfer: ["control"],
} as const satisfies Readonly<Record<EventType, readonly string[]>>;
type EventCause = (typeof EVENT_CAUSES)[EventType][number];

export interface EventKind {
  readonly event: EventType;
  readonly cause: EventCause;
  readonly legacy: boolean;
}

/** The kind of an event; `by`: who made the call of the simulated API that caused it. A scenario's messages have no kind. */
export function kindOfEvent(
  event: DomainEvent,
  by: JournalEntry["by"] | undefined,
  legacy: boolean,
): EventKind | undefined {
  const { eventType } = event;
  if (eventType === "transfer") return { event: eventType, cause: "control", legacy };
  if (event.message.fromCustomer) return { event: eventType, cause: "customer", legacy };
  if (by === "scenario") return undefined;
  return { event: eventType, cause: by === "client" ? "api" : "employee", legacy };
}

/** Under which names the events of a kind are counted. */
export const rowOfKind = ({ event, cause, legacy }: EventKind) =>
  [event, legacy ? `legacy ${cause}` : cause] as const;

/** How often each row of the tables was reached. Rows that are not listed were never reached. */
export class Coverage {
  readonly reads = noReads();
  /** By operation or event, then by outcome or cause: joined names would cost each call more than all the rest. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Counts an outcome of an operation, or a cause of an event. */
  count(name: string, row: string, times = 1): void {
    const known = this.#counts.get(name);
    if (known === undefined) this.#counts.set(name, new Map([[row, times]]));
    else known.set(row, (known.get(row) ?? 0) + times);
  }

  times(name: string, row: string): number {
    return this.#counts.get(name)?.get(row) ?? 0;
  }

  consulted() {
    return BEHAVIOUR_KEYS.flatMap((key, index) => {
      const consulted = this.reads[index] ?? 0;
      return consulted === 0 ? [] : [{ key, consulted }];
    });
  }

  add(other: Coverage): void {
    for (const [name, rows] of other.#counts) for (const [row, times] of rows) this.count(name, row, times);
    for (const [index, times] of other.reads.entries()) this.reads[index] = (this.reads[index] ?? 0) + times;
  }
}

const met = () => integer({ minimum: 0, description: "how often" });

export const coverageSchema = object(
  {
    met: integer({ minimum: 0, description: "the number of outcomes and events met" }),
    total: integer({ minimum: 0, description: "of how many" }),
    operations: array(
      object({
        operation: string(),
        outcomes: array(
          object({
            outcome: string({ description: "success, invalid, or the name of a refusal" }),
            status: integer(),
            met: met(),
            section: string(),
            description: string(),
          }),
        ),
      }),
    ),
    events: array(
      object({
        event: oneOf(Object.keys(EVENT_CAUSES) as EventType[]),
        cause: oneOf(Object.values(EVENT_CAUSES).flat()),
        legacy: boolean(),
        met: met(),
        section: string(),
      }),
    ),
    behaviours: array(
      object({
        key: string(),
        consulted: integer({ minimum: 1, description: "how often a rule read its value" }),
        section: string(),
      }),
      { description: "the entries of the behaviour table that were consulted" },
    ),
  },
  { title: "coverage" },
);
/** Which rows of the tables were reached, and which were not. */
export type CoverageReport = InferReadonly<typeof coverageSchema>;
