import type { Delivery } from "../../src/sandbox/deliveries.js";
import { InFlightCounter } from "../../src/sandbox/in-flight.js";
import { JournalEntry } from "../../src/sandbox/journal.js";
import { Log } from "../../src/sandbox/log.js";
import { MemoryBudget } from "../../src/sandbox/memory.js";
import type { SandboxObserver } from "../../src/sandbox/observer.js";
import type { WaitedOn, WaitedRun } from "../../src/sandbox/waits.js";
import { Waiters } from "../../src/sandbox/waits.js";

export interface CallParts {
  readonly method?: string;
  readonly path?: string;
  readonly operation?: string | null;
  readonly token?: string | null;
  readonly body?: unknown;
}

/** A lease of a budget that has no end. */
export const unbounded = () => new MemoryBudget(Number.POSITIVE_INFINITY).lease();

export const newJournal = (limit = 100): Log<JournalEntry> => new Log("r", limit, unbounded());
export const newDeliveries = (limit = 100): Log<Delivery> => new Log("d", limit, unbounded());

const noState = () => {
  throw new Error("there is no state to look at");
};

/** The parts of a sandbox that waits for entries look at. */
class FakeSandbox implements WaitedOn {
  readonly #observers = new Set<SandboxObserver>();
  readonly #limit: number;
  run: WaitedRun;
  readonly memory = new MemoryBudget(1024 ** 3);
  readonly report = (error: unknown) => {
    throw error;
  };

  constructor(limit: number) {
    this.#limit = limit;
    this.run = this.#newRun();
  }

  observe(observer: SandboxObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** As a reset does: a new run takes the place of the old one, which is closed. */
  begin(): WaitedRun {
    this.run.calls.close();
    this.run = this.#newRun();
    for (const observer of this.#observers) observer.reset?.([]);
    return this.run;
  }

  close(): void {
    for (const observer of this.#observers) observer.close?.();
  }

  #newRun(): WaitedRun {
    return {
      logs: {
        journal: new Log<JournalEntry>("r", this.#limit, unbounded(), (entry) => {
          for (const observer of this.#observers) observer.request?.(entry);
        }),
        deliveries: new Log<Delivery>("d", this.#limit, unbounded(), (delivery) => {
          for (const observer of this.#observers) observer.delivery?.(delivery);
        }),
      },
      calls: new InFlightCounter(),
      outbox: new InFlightCounter(),
      shown: noState,
    };
  }
}

/** A sandbox with nothing in it, and waits on it. */
export function waitedOn(limit = 100) {
  const sandbox = new FakeSandbox(limit);
  const { logs, calls } = sandbox.run;
  const outbox = sandbox.run.outbox as InFlightCounter;
  return { sandbox, ...logs, calls, outbox, waiters: new Waiters(sandbox) };
}

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
    omittedHeaders: [],
    status: "pending",
    reason: null,
    attempts: [],
    nextAttemptAt: null,
    ...parts,
  });
}
