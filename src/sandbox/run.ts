import { Clock, type ClockPosition } from "../kernel/clock.js";
import type { OnError } from "../kernel/errors.js";
import { monotonicNow } from "../kernel/realtime.js";
import { Behaviour } from "../service/behaviour/behaviour.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { type Rule, Transaction, type WorldView } from "../service/domain/transaction.js";
import type { WorldState } from "../service/world/state.js";
import { type RecordChange, World } from "../service/world/world.js";
import type { Coverage } from "./coverage.js";
import { type KeptDeliveries, type Outbox, RunDeliveries } from "./deliveries.js";
import { Faults, type KeptFaults } from "./faults.js";
import { atLeast, type IdCounters } from "./ids.js";
import { InFlightCounter } from "./in-flight.js";
import type { Cause } from "./journal.js";
import type { Tell } from "./observer.js";
import { type RateWindow, RateWindows } from "./rates.js";
import { type LogTotals, RunLogs } from "./run-logs.js";
import type { Saver } from "./saver.js";
import { type SinkSettings, Sinks } from "./sinks.js";
import type { RunStart, Snapshot } from "./states.js";
import { differenceOf, ShownRecords, WindowTimers } from "./threads.js";

export interface RunContext {
  readonly sandboxId: string;
  /** Distinguishes runs over all sandboxes of a simulator: its sinks use it to recognize what a reset has aborted. */
  readonly epoch: number;
  readonly journalLimit: number;
  readonly coverage: Coverage;
  readonly tell: Tell;
  readonly report: OnError;
  readonly saver: Saver;
  /** The ids that earlier runs have given out, if those of this run come after them. */
  readonly reached: IdCounters | undefined;
  /** Creates the outbox of a run, whose other parts exist already. */
  readonly outbox: (run: Run) => Outbox;
}

/** What a document holds of a run, beside its start. */
export interface KeptRun {
  readonly state: WorldState;
  readonly clock: ClockPosition;
  readonly began: number;
  readonly behaviour: Partial<BehaviourValues>;
  readonly faults: KeptFaults;
  readonly rates: Readonly<Record<string, RateWindow>>;
  readonly sinks: Readonly<Record<string, SinkSettings>>;
  readonly deliveries: KeptDeliveries;
  readonly logs: LogTotals;
}

/**
 * Everything in a sandbox between two resets: world, clock, behaviour, logs, faults, deliveries. A reset closes the run and
 * replaces it with a new one. Asynchronous code keeps a reference to its run and checks `signal`.
 */
export class Run {
  readonly sandboxId: string;
  readonly epoch: number;
  readonly world: World;
  readonly clock: Clock;
  readonly behaviour: Behaviour;
  readonly logs: RunLogs;
  readonly faults: Faults;
  readonly rates: RateWindows;
  /** Calls to the simulated API in flight. */
  readonly calls = new InFlightCounter();
  readonly sinks: Sinks;
  readonly outbox: Outbox;
  readonly deliveries: RunDeliveries;
  readonly saver: Saver;
  readonly coverage: Coverage;
  readonly report: OnError;
  /** A call advances the clock, and waits for what falls due. */
  isAdvancing = false;
  readonly #controller = new AbortController();
  readonly #windows: WindowTimers;
  /** The clock's instant when it started, ms; after a restore, when the snapshot's run started. */
  began: number;
  /** When it started, in real time, by `monotonicNow`. */
  readonly started = monotonicNow();

  /** Begins at `start`, or continues the run of a document that began there. */
  constructor(
    private readonly context: RunContext,
    readonly start: RunStart,
    kept?: KeptRun,
  ) {
    const { journalLimit, coverage, tell, saver, reached } = context;
    this.saver = saver;
    this.report = context.report;
    this.sandboxId = context.sandboxId;
    this.epoch = context.epoch;
    this.coverage = coverage;
    this.world = new World(start.state);
    if (kept !== undefined) this.world.restore(kept.state);
    else if (reached !== undefined) this.world.counters = atLeast(this.world.counters, reached);
    const moved = () => {
      saver.changed();
      tell("clock");
    };
    this.clock = new Clock(kept?.clock ?? start.clock, moved, context.report);
    this.began = kept?.began ?? this.clock.now();
    this.behaviour = new Behaviour(kept?.behaviour ?? start.behaviour, coverage.reads);
    this.logs = new RunLogs(journalLimit, tell);
    this.logs.deliveryLog.startAfter(reached?.deliveries ?? 0);
    const isSigned = () => this.behaviour.values["delivery.signature"] !== null;
    this.faults = new Faults(start.seed, isSigned, kept?.faults ?? start.faults, saver);
    this.rates = new RateWindows(saver, kept?.rates);
    this.sinks = new Sinks(journalLimit, saver, kept?.sinks);
    this.deliveries = new RunDeliveries(this, kept?.deliveries);
    this.#windows = new WindowTimers(this);
    this.outbox = context.outbox(this);
    this.faults.onChange = (rule) => {
      if (rule === undefined) this.outbox.releaseHeld();
      tell("fault");
    };
    const pending = Array.from(this.deliveries.pending.values(), ({ delivery }) => delivery);
    if (kept !== undefined) this.logs.resume(kept.logs, pending);
    this.#windows.watchAll();
    this.deliveries.resume();
  }

  /** Aborted when a reset, or the end of the sandbox, closes the run. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  view(behaviour = this.behaviour.values): WorldView {
    return this.#begin(behaviour);
  }

  shown(): ShownRecords {
    return new ShownRecords(this.view());
  }

  /** Runs a rule in one synchronous transaction: its writes go to the world, its events to the outbox, its notes to the warnings. */
  transact<Input, Result>(cause: Cause, rule: Rule<Input, Result>, input: Input): Result {
    const tx = this.#begin(cause.behaviour ?? this.behaviour.counted);
    const result = rule(tx, input);
    const { hasWrites } = tx;
    if (cause.id !== null && (hasWrites || tx.events.length > 0)) this.saver.check();
    const changes = tx.commit();
    if (hasWrites) this.saver.changed();
    for (const note of tx.notes) this.logs.warn(note, cause.entry);
    if (changes.length > 0) this.#changed(changes, cause.id);
    for (const event of tx.events) this.deliveries.announce(cause, event, tx.behaviour);
    return result;
  }

  /** Replaces the state; clock, journal and deliveries stay. @throws Refusal if this cannot be saved */
  replaceState(state: WorldState, causedBy: string | null): void {
    this.saver.check();
    const { counters } = this.world;
    this.world.restore(state);
    if (this.start.ids === "apart") this.world.counters = atLeast(this.world.counters, counters);
    this.#windows.watchAll();
    this.saver.changed();
    this.context.tell("state", [], causedBy);
  }

  /** Restores the state and clock of a snapshot. @throws Refusal if this cannot be saved */
  restore(snapshot: Snapshot, causedBy: string | null): void {
    this.saver.check();
    const { state, clock, began } = snapshot;
    this.clock.set(clock);
    this.began = began;
    this.replaceState(state, causedBy);
  }

  /** Sets, freezes or unfreezes the clock. This may change how records are shown. */
  setClock(to: { now?: number | undefined; frozen?: boolean | undefined }, causedBy: string | null): void {
    this.saver.check();
    this.clock.set(to);
    this.context.tell("state", [], causedBy);
  }

  /**
   * Changes behaviour values, already validated. This may change how records are shown.
   * @throws Refusal if this cannot be saved
   */
  patchBehaviour(values: Partial<BehaviourValues>, causedBy: string | null): void {
    this.saver.check();
    this.behaviour.patch(values);
    this.saver.changed();
    if (Object.keys(values).some((key) => key.startsWith("window."))) this.#windows.watchAll();
    this.context.tell("state", [], causedBy);
  }

  /** Ends everything in progress. The run reports nothing any more. */
  close(): void {
    if (this.signal.aborted) return;
    this.#controller.abort();
    this.clock.close();
    this.calls.close();
  }

  #begin(behaviour: BehaviourValues): Transaction {
    return new Transaction(this.world, this.clock.now(), behaviour, this.start.seed, this.began);
  }

  #changed(changes: readonly RecordChange[], causedBy: string | null): void {
    const threads: RecordChange<"threads">[] = [];
    for (const change of changes) {
      if (change.collection === "threads") threads.push(change as RecordChange<"threads">);
      if (change.collection === "webhooks" && change.after === null) this.deliveries.forgetWebhook(change.id);
    }
    for (const { id, after } of threads) this.#windows.watch(id, after);
    this.context.tell("state", changes, causedBy);
    const view = { behaviour: this.behaviour.values };
    for (const { id: threadId, before, after } of threads) {
      const difference = differenceOf(view, before, after);
      if (difference !== undefined)
        this.logs.change({ at: this.clock.now(), threadId, causedBy, ...difference });
    }
  }
}
