import { JournalEntry } from "../../src/sandbox/journal.js";
import { Log } from "../../src/sandbox/log.js";
import { MemoryBudget } from "../../src/sandbox/memory.js";

export interface CallParts {
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string | null;
  readonly token?: string | null;
  readonly body?: unknown;
}

/** A lease of a budget that has no end. */
export const unbounded = () => new MemoryBudget(Number.POSITIVE_INFINITY).lease();

export const newJournal = (): Log<JournalEntry> => new Log("r", 100, unbounded());

/** Enters a call as it is on receipt, before its body has come. */
export function receive(journal: Log<JournalEntry>, parts: CallParts = {}): JournalEntry {
  const { method = "POST", path = "/api/a", token = "acme-token", operation = "a" } = parts;
  const entry = new JournalEntry(journal.nextId(), 0, "client", method, path, token, "", []);
  entry.operation = operation;
  journal.add(entry);
  return entry;
}

/** Tells the journal that a call's body has come. */
export function complete(
  journal: Log<JournalEntry>,
  entry: JournalEntry,
  { body = null }: Pick<CallParts, "body"> = {},
): JournalEntry {
  entry.receive({ text: JSON.stringify(body), value: body });
  journal.changed(entry);
  return entry;
}

export function answer(
  journal: Log<JournalEntry>,
  entry: JournalEntry,
  status: number | null = 200,
): JournalEntry {
  entry.close(status, "{}");
  journal.changed(entry);
  return entry;
}

/** A whole call: received, read and answered. */
export const call = (
  journal: Log<JournalEntry>,
  parts: CallParts = {},
  status: number | null = 200,
): JournalEntry => answer(journal, complete(journal, receive(journal, parts), parts), status);
