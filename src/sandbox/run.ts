import { Behaviour } from "../behaviour/behaviour.js";
import type { BehaviourValues } from "../behaviour/table.js";
import { notificationsOf } from "../domain/notifications.js";
import type { Note, Rule, WorldView } from "../domain/transaction.js";
import { Transaction } from "../domain/transaction.js";
import { HOPS_HEADER, hopsOf } from "../http/hops.js";
import { Clock } from "../kernel/clock.js";
import type { Report } from "../kernel/contain.js";
import { costOf, costOfText } from "../kernel/cost.js";
import type { WorldState } from "../world/state.js";
import type { Change } from "../world/world.js";
import { World } from "../world/world.js";
import { notBehind } from "./apart.js";
import type { Cause } from "./cause.js";
import type { KeptControlRecord } from "./controls.js";
import type { Delivery, DeliveryContent, DeliveryWebhook } from "./deliveries.js";
import { newDelivery } from "./deliveries.js";
import { Faults } from "./faults.js";
import { InFlightCounter } from "./in-flight.js";
import type { JournalEntry, Warning } from "./journal.js";
import { Log } from "./log.js";
import type { Account, MemoryBudget } from "./memory-budget.js";
import type { SandboxObserver } from "./observer.js";
import type { Outbox } from "./outbox.js";
import { RateWindows } from "./rate.js";
import type { RunStart } from "./run-start.js";
import { ShownRecords } from "./shown-records.js";
import { Sinks } from "./sinks.js";
import type { Snapshot } from "./snapshots.js";
import type { Totals } from "./totals.js";
import { WindowTimers } from "./window-timers.js";
import { WorldMemory } from "./world-memory.js";

/** What a run needs of its surroundings. */
export interface RunContext {
  readonly sandboxId: string;
  /** Tells runs apart, over all sandboxes of a simulator: its own sinks recognise by it what a reset has aborted. */
  readonly epoch: number;
  /** How many journal entries, deliveries and warnings are kept. */
  readonly journalLimit: number;
  /** What is kept is on its account. */
  readonly memory: MemoryBudget;
  /** Counts its deliveries. */
  readonly totals: Totals;
  readonly observer: Required<SandboxObserver>;
  /** Is told of what fails in a callback of the run. */
  readonly report: Report;
  /** Makes the run's outbox, which may keep the run but must not use it yet. */
  readonly outbox: (run: Run) => Outbox;
}

/**
 * Everything of a sandbox between one reset and the next: world, clock, behaviour, logs, faults, deliveries. A reset
 * closes the run and puts a new one in its place. Whatever is asynchronous holds its run and checks `signal`.
 */
export class Run {
  readonly sandboxId: string;
  readonly epoch: number;
  readonly start: RunStart;
  readonly world: World;
  readonly clock: Clock;
  readonly behaviour: Behaviour;
  readonly journal: Log<JournalEntry>;
  readonly deliveries: Log<Delivery>;
  /** The control calls that changed something. */
  readonly controls: Log<KeptControlRecord>;
  readonly warnings: Log<Warning>;
  readonly faults: Faults;
  readonly rates = new RateWindows();
  /** The calls to the simulated API that are not answered yet. */
  readonly calls = new InFlightCounter();
  readonly sinks: Sinks;
  readonly outbox: Outbox;
  /** Is told of what fails in a callback that nobody waits for. */
  readonly report: Report;
  readonly #observer: Required<SandboxObserver>;
  readonly #controller = new AbortController();
  readonly #windows: WindowTimers;
  readonly #memory: WorldMemory;
  readonly #totals: Totals;
  #pending = 0;
  /** The behaviour values that were changed since the start. */
  #patched: Partial<BehaviourValues> = {};
  readonly #account: Account;

  /** `state` is that of the start, or the same with counters that run on. */
  constructor(
    start: RunStart,
    state: WorldState,
    { sandboxId, epoch, journalLimit, memory, totals, observer, outbox, report }: RunContext,
  ) {
    this.report = report;
    this.sandboxId = sandboxId;
    this.epoch = epoch;
    this.start = start;
    this.#observer = observer;
    this.world = new World(state);
    this.clock = new Clock(start.clock, () => observer.clock(), report);
    this.behaviour = new Behaviour(start.behaviour);
    const account = memory.open();
    this.#memory = new WorldMemory(memory, start.state);
    this.#totals = totals;
    this.#account = account;
    this.journal = new Log("r", journalLimit, account, observer.request);
    this.deliveries = new Log("d", journalLimit, account, observer.delivery);
    this.controls = new Log("c", journalLimit, account);
    this.warnings = new Log("w", journalLimit, account, observer.warning);
    this.faults = new Faults(start.seed, start.faults, observer.fault, account);
    this.sinks = new Sinks(journalLimit, account);
    this.#windows = new WindowTimers(this);
    this.#windows.watchAll();
    this.outbox = outbox(this);
  }

  /** Aborted when a reset or the sandbox's end has closed the run. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The world as it stands now, for reading. */
  view(): WorldView {
    return this.#begin();
  }

  /** The records as every reader outside sees them now. */
  shown(): ShownRecords {
    return new ShownRecords(this.view());
  }

  /** The same records for good, for readers that take their time: what changes afterwards does not show. */
  shownSnapshot(): ShownRecords {
    return new ShownRecords(this.#begin(new World(this.world.snapshot())));
  }

  /** Runs a rule in one synchronous transaction: its writes reach the world, its events the outbox, its notes the warnings. */
  transact<Input, Result>(cause: Cause, rule: Rule<Input, Result>, input: Input): Result {
    const tx = this.#begin();
    const result = rule(tx, input);
    if (cause.id !== null && this.#memory.scarce) this.#memory.checkGrowth(tx.growth);
    const changes = tx.commit();
    this.#countWorld();
    for (const note of tx.notes) this.warn(note, cause.entry);
    if (changes.length > 0) this.#changed(changes, cause.id);
    for (const event of tx.events) {
      const { eventType, thread } = event;
      for (const { webhook, body } of notificationsOf(this.world, event, tx.behaviour, cause.legacy)) {
        this.deliver(cause, webhook, { threadId: thread.id, eventType, legacy: webhook.legacy, body });
      }
    }
    return result;
  }

  /** Enters a delivery in the log and hands it to the outbox. */
  deliver(cause: Cause, webhook: DeliveryWebhook, content: DeliveryContent): Delivery {
    const { id: causedBy, entry, hops = hopsOf(entry?.header(HOPS_HEADER)) } = cause;
    const delivery = newDelivery(this.deliveries.nextId(), causedBy, webhook, content);
    this.deliveries.add(delivery, costOf(content.body) + costOfText(webhook.url));
    this.#countPending(1);
    this.outbox.accept(delivery, hops === 0 ? webhook : { ...webhook, hops });
    return delivery;
  }

  /** Reports that a delivery has changed, and costs so many bytes more. One that is not pending has come to its end. */
  changedDelivery(delivery: Delivery, bytes = 0): void {
    this.deliveries.changed(delivery, bytes);
    if (delivery.status === "pending") return;
    this.#countPending(-1);
    this.#totals.countDelivery(delivery);
  }

  /** Records a contract warning, with the call that it is content. */
  warn(note: Note, entry?: JournalEntry): void {
    const warning: Warning = { id: this.warnings.nextId(), ...note, requestId: entry?.id ?? null };
    this.warnings.add(warning, costOfText(note.message));
    entry?.warn(warning);
  }

  /**
   * Puts another state in place of this one; clock, journal and deliveries stay. `ownBytes` of it are not the start's.
   *
   * @throws Refusal where the memory has no room for it
   */
  replaceState(state: WorldState, causedBy: string | null, ownBytes = state.bytes): void {
    this.#memory.checkSize(ownBytes);
    const { counters } = this.world;
    this.world.restore(state, ownBytes);
    this.#countWorld();
    if (this.start.ids === "apart") this.world.counters = notBehind(this.world.counters, counters);
    this.#windows.watchAll();
    this.#observer.state([], causedBy);
  }

  /** Back to the state and clock of a snapshot. @throws Refusal where the memory has no room for it */
  restore({ state, clock, start, ownBytes }: Snapshot, causedBy: string | null): void {
    const own = start === this.start.state ? ownBytes : state.bytes;
    this.#memory.checkSize(own);
    this.clock.set(clock);
    this.replaceState(state, causedBy, own);
  }

  /** Sets the clock, or freezes it and lets it go. What is shown of a record may change with the time. */
  setClock(to: { now?: number | undefined; frozen?: boolean | undefined }, causedBy: string | null): void {
    this.clock.set(to);
    this.#observer.state([], causedBy);
  }

  /** Changes behaviour values, which must have been validated. What is shown of a record may change with them. */
  patchBehaviour(values: Partial<BehaviourValues>, causedBy: string | null): void {
    const patched = { ...this.#patched, ...values };
    this.#account.set("behaviour", patched);
    this.#patched = patched;
    this.behaviour.patch(values);
    this.#observer.state([], causedBy);
  }

  /** Ends everything that is still going on. Nothing is heard of the run again. */
  close(): void {
    this.#controller.abort();
    this.clock.close();
    this.calls.close();
    this.#account.close();
    this.#totals.pending -= this.#pending;
    this.#memory.close();
  }

  #countPending(more: number): void {
    if (this.signal.aborted) return;
    this.#pending += more;
    this.#totals.pending += more;
  }

  /** Tells the budget how the world has grown; after the end nothing counts any more. */
  #countWorld(): void {
    if (!this.signal.aborted) this.#memory.count(this.world.ownBytes);
  }

  #begin(world = this.world): Transaction {
    return new Transaction(world, this.clock.now(), this.behaviour.values, this.start.seed);
  }

  #changed(changes: readonly Change[], causedBy: string | null): void {
    for (const change of changes)
      if (change.collection === "threads") this.#windows.watch(change as Change<"threads">);
    this.#observer.state(changes, causedBy);
  }
}
