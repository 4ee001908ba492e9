import { JournalEntry } from "../../src/sandbox/journal.js";
import { Log } from "../../src/sandbox/log.js";

type Parts = Partial<Record<"method" | "path" | "token", string>>;

export const newJournal = (): Log<JournalEntry> => new Log("r", 100);

/** Enters a call as it is on receipt, before its body has come. */
export function receive(
  journal: Log<JournalEntry>,
  { method = "POST", path = "/api/a", token = "acme-token" }: Parts = {},
): JournalEntry {
  const entry = new JournalEntry(journal.nextId(), 0, "client", method, path, token, "", []);
  entry.operation = "a";
  return journal.add(entry);
}

/** Tells the journal that a call's body has come. */
export function complete(
  journal: Log<JournalEntry>,
  entry: JournalEntry,
  body: unknown = null,
): JournalEntry {
  entry.receive({ text: JSON.stringify(body), value: body });
  journal.changed(entry);
  return entry;
}

export function answer(journal: Log<JournalEntry>, entry: JournalEntry, status = 200): JournalEntry {
  entry.close(status, "{}");
  journal.changed(entry);
  return entry;
}

/** A whole call: received, read and answered. */
export const call = (
  journal: Log<JournalEntry>,
  { body, ...parts }: Parts & { readonly body?: unknown } = {},
): JournalEntry => answer(journal, complete(journal, receive(journal, parts), body));
