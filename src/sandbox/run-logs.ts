import { fromKeys, keysOf } from "../kernel/objects.js";
import { monotonicNow } from "../kernel/realtime.js";
import type { Note } from "../service/domain/transaction.js";
import type { Delivery } from "./deliveries.js";
import type { ControlRecord, JournalEntry, Warning } from "./journal.js";
import { Log, type TextEntry } from "./log.js";
import type { ClearedLog, Tell } from "./observer.js";
import type { ThreadChange } from "./threads.js";

/** The total number of entries in each log of a run: ids continue from there. It is saved with each change. */
export type LogTotals = Readonly<Record<"requests" | "deliveries" | "controls" | "warnings", number>>;

interface BeforeCause {
  /** The id of the control call or journal entry. */
  readonly cause: string | null;
  /** Of real time, by `monotonicNow`. */
  readonly at: number;
  readonly requests: number;
  readonly deliveries: number;
}

/** What has happened in a run: calls, deliveries, control calls, warnings, changes of threads, and the last scenario. */
export class RunLogs {
  readonly journal: Log<JournalEntry>;
  readonly deliveryLog: Log<Delivery>;
  readonly controls: Log<TextEntry<ControlRecord>>;
  readonly warnings: Log<Warning>;
  /** Changes of threads; nothing refers to them, so their ids restart with the process. */
  readonly changes: Log<ThreadChange>;
  /** How many calls and deliveries there were before the newest cause of deliveries that is no call of the system under test. */
  beforeCause: BeforeCause = { cause: null, at: monotonicNow(), requests: 0, deliveries: 0 };

  constructor(
    limit: number,
    private readonly tell: Tell,
  ) {
    this.journal = new Log("r", limit, (entry) => tell("request", entry));
    this.deliveryLog = new Log("d", limit, (entry) => tell("delivery", entry));
    this.controls = new Log("c", limit, (entry) => tell("control", entry));
    this.warnings = new Log("w", limit, (entry) => tell("warning", entry));
    this.changes = new Log("s", limit, (entry) => tell("change", entry));
  }

  get totals(): LogTotals {
    const { journal: requests, deliveryLog: deliveries, controls, warnings } = this;
    const logs = { requests, deliveries, controls, warnings };
    return fromKeys(keysOf(logs), (name) => logs[name].mark);
  }

  /** Continues the ids of a saved sandbox, of whose entries only the unfinished deliveries are left. */
  resume(totals: LogTotals, pending: readonly Delivery[]): void {
    this.journal.resume(totals.requests);
    this.controls.resume(totals.controls);
    this.warnings.resume(totals.warnings);
    this.deliveryLog.resume(totals.deliveries, pending);
  }

  change({ at, threadId, causedBy, from, to }: Omit<ThreadChange, "id" | "afterRequest" | "afterControl">) {
    const [afterRequest, afterControl] = [this.journal.newestId, this.controls.newestId];
    const id = this.changes.nextId();
    this.changes.add({ id, at, threadId, causedBy, afterRequest, afterControl, from, to });
  }

  /** Notes, before its first delivery, that a control call or a scenario's own call causes deliveries. */
  causes(cause: string | null): void {
    if (cause === this.beforeCause.cause) return;
    const { journal, deliveryLog } = this;
    this.beforeCause = { cause, at: monotonicNow(), requests: journal.mark, deliveries: deliveryLog.mark };
  }

  /** Records a contract warning, together with its call. */
  warn(note: Note, entry?: JournalEntry): void {
    const warning: Warning = { id: this.warnings.nextId(), ...note, requestId: entry?.id ?? null };
    this.warnings.add(warning);
    entry?.warn(warning);
  }

  /** Clears a log on request; returns how many entries it had. */
  clear(name: ClearedLog): number {
    const log = name === "requests" ? this.journal : this.warnings;
    const { size } = log;
    log.clear();
    this.tell("cleared", name);
    return size;
  }
}
