import type { Delivery } from "../../src/sandbox/deliveries.js";
import { JournalEntry } from "../../src/sandbox/journal.js";
import { Log } from "../../src/sandbox/log.js";

export interface CallParts {
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string | null;
  readonly token?: string | null;
  readonly body?: unknown;
}

export const newJournal = (limit = 100): Log<JournalEntry> => new Log("r", limit);
export const newDeliveries = (limit = 100): Log<Delivery> => new Log("d", limit);

/** Enters a call as it is on receipt, before its body has come. */
export function receive(journal: Log<JournalEntry>, parts: CallParts = {}): JournalEntry {
  const { method = "POST", path = "/api/a", token = "acme-token", operation = "a", body = null } = parts;
  const entry = new JournalEntry(journal.nextId(), 0, "client", method, path, token, "", []);
  entry.operation = operation;
  journal.add(entry);
  entry.body = body;
  return entry;
}

/** Tells the journal that a call's body has come. */
export function complete(journal: Log<JournalEntry>, entry: JournalEntry): JournalEntry {
  entry.received = true;
  journal.changed(entry);
  return entry;
}

export function answer(
  journal: Log<JournalEntry>,
  entry: JournalEntry,
  status: number | null = 200,
): JournalEntry {
  entry.close(status, {});
  journal.changed(entry);
  return entry;
}

/** A whole call: received, read and answered. */
export const call = (
  journal: Log<JournalEntry>,
  parts: CallParts = {},
  status: number | null = 200,
): JournalEntry => answer(journal, complete(journal, receive(journal, parts)), status);

/** Enters a delivery. */
export function deliver(deliveries: Log<Delivery>, parts: Partial<Delivery> = {}): Delivery {
  return deliveries.add({
    id: deliveries.nextId(),
    causedBy: "r1",
    webhookId: "1",
    hookId: "crm",
    threadId: "9001",
    url: "sink:demo",
    eventType: "message",
    legacy: false,
    body: { data: { messageBody: "Hello" } },
    headers: {},
    status: "pending",
    reason: null,
    attempts: [],
    nextAttemptAt: null,
    ...parts,
  });
}
