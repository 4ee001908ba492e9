import type { Report } from "../kernel/contain.js";
import type { Delivery } from "./deliveries.js";
import type { InFlightCounter } from "./in-flight.js";
import type { JournalEntry } from "./journal.js";
import type { Log } from "./log.js";
import type { MemoryBudget } from "./memory-budget.js";
import type { SandboxObserver } from "./observer.js";
import type { ShownRecords } from "./shown-records.js";

/** What waits read of a run. */
export interface WaitedRun {
  readonly logs: { readonly journal: Log<JournalEntry>; readonly deliveries: Log<Delivery> };
  readonly calls: InFlightCounter;
  shown(): ShownRecords;
  shownSnapshot(): ShownRecords;
  readonly outbox: { readonly idle: boolean; settled(): Promise<void> };
}

/** What is waited on: a sandbox, over resets. */
export interface WaitedOn {
  readonly run: WaitedRun;
  observe(observer: SandboxObserver): () => void;
  /** What open waits keep counts here. */
  readonly memory: Pick<MemoryBudget, "checkRoom" | "countWorld">;
  /** Is told of what fails in a callback that nobody waits for. */
  readonly report: Report;
}
