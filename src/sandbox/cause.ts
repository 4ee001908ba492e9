import type { JournalEntry } from "./journal.js";

/** What makes a rule run, and where its notes go. */
export interface Cause {
  /** The id of the journal entry or control call; null for time that passed. */
  readonly id: string | null;
  /** The journal entry, where a call of the simulated API is the cause: the rule's notes become its warnings. */
  readonly entry?: JournalEntry;
  /** How many calls of the simulator led to a control call; those to a call of the simulated API are in its headers. */
  readonly hops?: number;
  /** Narrows the receivers of an event given by hand. */
  readonly legacy?: boolean;
}
