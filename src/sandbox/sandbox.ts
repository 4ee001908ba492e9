import { Behaviour } from "../behaviour/behaviour.js";
import type { BehaviourValues } from "../behaviour/table.js";
import type { Notification } from "../domain/events.js";
import { notificationsOf } from "../domain/notifications.js";
import type { Note, Rule } from "../domain/transaction.js";
import { Transaction } from "../domain/transaction.js";
import { Clock } from "../kernel/clock.js";
import type { Change, WorldState } from "../world/world.js";
import { World } from "../world/world.js";
import type { ControlRecord } from "./controls.js";
import type { Delivery } from "./deliveries.js";
import type { FaultInput } from "./faults.js";
import { Faults } from "./faults.js";
import { InFlightCounter } from "./in-flight.js";
import type { JournalEntry, Warning } from "./journal.js";
import { Log } from "./log.js";
import { RateWindows } from "./rate.js";
import { Sinks } from "./sinks.js";
import { Snapshots } from "./snapshots.js";
import { Waiters } from "./waiting.js";
import { WindowTimers } from "./window-timers.js";

/** What a sandbox starts from, and what `reset` brings back. */
export interface SandboxStart {
  readonly state: WorldState;
  readonly behaviour: Partial<BehaviourValues>;
  readonly seed: number;
  /** The instant at which the clock stands, ms; undefined for real time. */
  readonly clock: number | undefined;
  /** Faults that are armed from the start. */
  readonly faults: readonly FaultInput[];
}

export interface SandboxOptions extends SandboxStart {
  readonly id: string;
  /** How many journal entries, deliveries and warnings are kept. */
  readonly journalLimit: number;
}

/** Where deliveries go to be sent. One for each sandbox; the sender behind it is shared. */
export interface Outbox {
  accept(delivery: Delivery, notification: Notification): void;
  /** Abandons everything that is waiting or under way. */
  reset(): void;
  /** Whether nothing waits or is under way; retries that are not due do not count. */
  readonly idle: boolean;
  /** Resolves when `idle` has become true. */
  settled(): Promise<void>;
  /** A number that no other outbox of the simulator has, another one after each reset. The simulator's own sinks tell by it what was abandoned. */
  readonly epoch: number;
}

/** How a rule is run: what it was caused by, and where its notes go. */
export interface Cause {
  /** The id of the journal entry or control call. */
  readonly id: string | null;
  /** The journal entry, where a call of the simulated API is the cause: the rule's notes become its warnings. */
  readonly entry?: JournalEntry;
  /** Narrows the receivers of an event given by hand. */
  readonly legacy?: boolean;
}

/** Hears of replaced records and of the journal entry or control call behind them; an empty list stands for the whole state. */
export type ChangeListener = (changes: readonly Change[], causedBy: string | null) => void;

/** One whole world: state, clock, behaviour, journal, deliveries, faults. Nothing of it is shared with another sandbox. */
export class Sandbox {
  readonly id: string;
  readonly world: World;
  readonly clock: Clock;
  readonly behaviour: Behaviour;
  readonly journal: Log<JournalEntry>;
  readonly deliveries: Log<Delivery>;
  /** The control calls that changed something since the start. */
  readonly controls: Log<ControlRecord>;
  readonly warnings: Log<Warning>;
  readonly faults: Faults;
  readonly rates = new RateWindows();
  /** The calls to the simulated API that are not answered yet. Another object after a reset: calls of before belong to no one. */
  calls = new InFlightCounter();
  readonly sinks: Sinks;
  readonly snapshots = new Snapshots();
  readonly outbox: Outbox;
  readonly start: SandboxStart;
  /** What it began with: the start, or what the last reset put in place of it. */
  origin: SandboxStart;
  seed: number;
  readonly #windows: WindowTimers;
  readonly #changeListeners = new Set<ChangeListener>();
  readonly #resetListeners = new Set<() => void>();
  readonly #closeListeners = new Set<() => void>();
  #waiters: Waiters | undefined;
  /** The event streams that are open on it. */
  readonly streams = new InFlightCounter();

  /** `outbox` makes the sandbox's outbox; it may keep the sandbox but must not use it yet. */
  constructor(options: SandboxOptions, outbox: (sandbox: Sandbox) => Outbox) {
    this.id = options.id;
    this.start = options;
    this.origin = options;
    this.seed = options.seed;
    this.world = new World(options.state);
    this.clock = new Clock(options.clock);
    this.behaviour = new Behaviour(options.behaviour);
    this.journal = new Log("r", options.journalLimit);
    this.deliveries = new Log("d", options.journalLimit);
    this.controls = new Log("c", options.journalLimit);
    this.warnings = new Log("w", options.journalLimit);
    this.faults = new Faults(options.seed, options.faults);
    this.sinks = new Sinks(options.journalLimit);
    this.outbox = outbox(this);
    this.#windows = new WindowTimers(this);
    this.#windows.watchAll();
  }

  /** The waits that are open on it. Most sandboxes never have any. */
  get waiters(): Waiters {
    this.#waiters ??= new Waiters(this);
    return this.#waiters;
  }

  get openWaits(): number {
    return this.#waiters?.open ?? 0;
  }

  /** Runs a rule in one synchronous turn: its writes reach the world, its events the outbox, its notes the warnings. */
  run<Input, Result>(cause: Cause, rule: Rule<Input, Result>, input: Input): Result {
    const reading = this.turn();
    const result = rule(reading, input);
    const changes = reading.commit();
    for (const note of reading.notes) this.warn(note, cause.entry);
    if (changes.length > 0) this.changed(changes, cause.id);
    for (const event of reading.events) {
      for (const notification of notificationsOf(this.world, event, reading.behaviour, cause.legacy)) {
        this.#deliver(cause.id, notification);
      }
    }
    return result;
  }

  /** A view of the world for reading. What is written into it goes nowhere. */
  turn(): Transaction {
    return new Transaction(this.world, this.clock.now(), this.behaviour.values, this.seed);
  }

  /** Records a contract warning, with the call that it is about. */
  warn(note: Note, entry?: JournalEntry): void {
    const warning: Warning = { id: this.warnings.nextId(), ...note, requestId: entry?.id ?? null };
    this.warnings.add(warning);
    entry?.warn(warning);
  }

  /** Tells who listens that records were replaced, and keeps the timers of messaging windows in step. */
  changed(changes: readonly Change[], causedBy: string | null): void {
    for (const change of changes)
      if (change.collection === "threads") this.#windows.watch(change as Change<"threads">);
    for (const listener of this.#changeListeners) listener(changes, causedBy);
  }

  /** Calls `listener` with the records that each turn replaced; an empty list stands for the whole state. */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Puts another state in place of this one; clock, journal and deliveries stay. */
  replaceState(state: WorldState, causedBy: string | null): void {
    this.world.restore(state);
    this.#windows.watchAll();
    this.changed([], causedBy);
  }

  /**
   * Back to the start: state, counters, clock, timers, faults, journal, deliveries, control calls, warnings, sinks, behaviour.
   * Deliveries under way are abandoned; named snapshots stay. `over` replaces parts of the start, for this once.
   */
  reset(over: Partial<SandboxStart> = {}): void {
    const start = { ...this.start, ...over };
    this.origin = start;
    this.outbox.reset();
    this.clock.reset(start.clock);
    this.behaviour.reset();
    this.behaviour.patch(start.behaviour);
    this.seed = start.seed;
    this.faults.reset(start.seed);
    this.rates.reset();
    this.calls = new InFlightCounter();
    this.sinks.reset();
    for (const log of [this.journal, this.deliveries, this.controls, this.warnings]) log.reset();
    this.#waiters?.restart();
    this.replaceState(start.state, null);
    for (const listener of this.#resetListeners) listener();
  }

  /** Calls `listener` after each reset. */
  onReset(listener: () => void): () => void {
    this.#resetListeners.add(listener);
    return () => this.#resetListeners.delete(listener);
  }

  /** Calls `listener` when the sandbox ends. */
  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Ends everything that is still going on. */
  close(): void {
    this.#waiters?.close();
    this.calls = new InFlightCounter();
    for (const listener of this.#closeListeners) listener();
    this.outbox.reset();
    this.clock.reset(this.clock.now());
  }

  #deliver(causedBy: string | null, notification: Notification): void {
    const { webhook, event, body } = notification;
    const delivery: Delivery = {
      id: this.deliveries.nextId(),
      causedBy,
      webhookId: webhook.id,
      hookId: webhook.hookId,
      threadId: event.thread.id,
      url: webhook.url,
      eventType: event.eventType,
      legacy: webhook.legacy,
      body,
      headers: {},
      status: "pending",
      reason: null,
      attempts: [],
      nextAttemptAt: null,
    };
    this.deliveries.add(delivery);
    this.outbox.accept(delivery, notification);
  }
}
