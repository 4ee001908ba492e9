/** Where the generator hears of calls and deliveries: one source for all customers. */
import type { LogName, Logs } from "../client/consumed-entries.js";

type Hear = <L extends LogName>(log: L, entry: Logs[L]) => void;

export interface OpenFeed {
  /** How often it broke off and was opened again: what came meanwhile was not heard. */
  readonly breaks: number;
  close(): void;
}

/** Tells of every call to the simulated API once, when it is over, and of every delivery whenever it has changed. */
export interface Feed {
  /** Resolves when nothing is missed from now on. @throws SimError */
  open(logs: ReadonlySet<LogName>, hear: Hear): Promise<OpenFeed>;
  /** Whether an entry is as a match asks. */
  matches<L extends LogName>(log: L, match: object, entry: Logs[L]): boolean;
}
