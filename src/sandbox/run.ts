import { BOUNDS } from "../kernel/bounds.js";
import { Clock, type ClockPosition } from "../kernel/clock.js";
import type { OnError } from "../kernel/errors.js";
import { fromKeys, isKeyOf, keysOf, mapped } from "../kernel/objects.js";
import { monotonicNow } from "../kernel/realtime.js";
import { Behaviour, type ReadCounts } from "../service/behaviour/behaviour.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { type Rule, Transaction, type WorldView } from "../service/domain/transaction.js";
import { COLLECTIONS, isCollectionName } from "../service/world/records.js";
import type { Counters, WorldState } from "../service/world/state.js";
import { type Change, World } from "../service/world/world.js";
import type { Coverage, Totals } from "./coverage.js";
import { type Outbox, RunDeliveries } from "./deliveries.js";
import type { DurablePart, PartName } from "./durable.js";
import { type ChangeLog, DurableMap, type KeptParts, NOTHING_KEPT } from "./durable.js";
import { Faults } from "./faults.js";
import { atLeast } from "./ids.js";
import { InFlightCounter } from "./in-flight.js";
import type { Cause, JournalEntry } from "./journal.js";
import type { MemoryBudget, MemoryLease } from "./memory.js";
import type { Tell } from "./observer.js";
import { type KeptLogs, type LogTotals, RunLogs } from "./run-logs.js";
import { Sinks } from "./sinks.js";
import type { RunStart, SandboxStates, Snapshot } from "./states.js";
import { differenceOf, ShownRecords, WindowTimers } from "./threads.js";

export interface RunContext {
  readonly sandboxId: string;
  /** Distinguishes runs over all sandboxes of a simulator: its sinks use it to recognize what a reset has aborted. */
  readonly epoch: number;
  readonly journalLimit: number;
  readonly memory: MemoryBudget;
  readonly totals: Totals;
  readonly coverage: Coverage;
  readonly tell: Tell;
  readonly report: OnError;
  readonly log: ChangeLog;
  readonly firstDelivery: number;
  /** Creates the outbox of a run, whose other parts exist already. */
  readonly outbox: (run: Run) => Outbox;
}

/** The parts of another process's run other than its world, for the run that continues it. */
export interface RunResumeState {
  readonly parts: KeptParts;
  /** What is left of its logs; default: its pending deliveries. */
  readonly logs?: KeptLogs;
}

/**
 * Everything in a sandbox between two resets: world, clock, behaviour, logs, faults, deliveries. A reset closes the run and
 * replaces it with a new one. Asynchronous code keeps a reference to its run and checks `signal`.
 */
export class Run {
  readonly sandboxId: string;
  readonly epoch: number;
  readonly start: RunStart;
  readonly world: World;
  readonly clock: Clock;
  readonly behaviour: RunBehaviour;
  readonly logs: RunLogs;
  readonly faults: Faults;
  readonly rates: RateWindows;
  /** Calls to the simulated API in flight. */
  readonly calls = new InFlightCounter();
  readonly sinks: Sinks;
  readonly outbox: Outbox;
  readonly deliveries: RunDeliveries;
  readonly parts: Readonly<Record<PartName, DurablePart>>;
  readonly log: ChangeLog;
  readonly coverage: Coverage;
  readonly totals: Totals;
  readonly report: OnError;
  /** A call advances the clock, and waits for what falls due. */
  isAdvancing = false;
  readonly #controller = new AbortController();
  readonly #windows: WindowTimers;
  /** The memory of its logs and settings; that of its records is counted apart. */
  readonly #memory: MemoryLease;
  #worldBytes = 0;
  /** The clock's instant when it started, ms; after a restore, when the snapshot's run started. */
  began: number;
  /** When it started, in real time, by `monotonicNow`. */
  readonly started = monotonicNow();

  /** `states` has the world that it starts with; `resumeState` has the other parts of another process's run. */
  constructor(
    private readonly states: SandboxStates,
    private readonly context: RunContext,
    resumeState?: RunResumeState,
  ) {
    const { journalLimit, coverage, tell, log, memory } = context;
    const kept = resumeState?.parts;
    const start = states.begun;
    this.log = log;
    this.report = context.report;
    this.sandboxId = context.sandboxId;
    this.epoch = context.epoch;
    this.coverage = coverage;
    this.totals = context.totals;
    this.start = start;
    this.world = states.world;
    const time = (kept?.run?.get("clock") as ClockPosition | undefined) ?? start.clock;
    const moved = () => {
      log.changed("run", "clock");
      tell("clock");
    };
    this.clock = new Clock(time, moved, context.report);
    this.began = (kept?.run?.get("began") as number | undefined) ?? this.clock.now();
    states.began = this.began;
    memory.hold(start.state);
    const lease = memory.lease();
    this.#memory = lease;
    this.behaviour = new RunBehaviour(start.behaviour, coverage.reads, lease, log, kept);
    this.logs = new RunLogs(journalLimit, lease, tell, () => log.counted("run", "logs"));
    this.logs.deliveries.startAfter(context.firstDelivery);
    const isSigned = () => this.behaviour.values["delivery.signature"] !== null;
    this.faults = new Faults(start.seed, isSigned, start.faults, lease, log, kept);
    this.rates = new RateWindows(log, kept);
    this.sinks = new Sinks(journalLimit, lease, log, kept);
    this.deliveries = new RunDeliveries(this, kept);
    this.#windows = new WindowTimers(this);
    this.parts = partsOf(this);
    this.outbox = context.outbox(this);
    this.faults.onChange = (rule) => {
      if (rule === undefined) this.outbox.releaseHeld();
      tell("fault", rule);
    };
    this.#countWorld();
    const totals = kept?.run?.get("logs") as LogTotals | undefined;
    if (totals !== undefined) {
      const pending = [...this.deliveries.pending.values()].map(({ delivery }) => delivery);
      this.logs.resume(totals, resumeState?.logs, pending);
      this.sinks.resume(totals.received, resumeState?.logs?.received);
    }
    this.#windows.watchAll();
    this.deliveries.resume();
  }

  /** Aborted when a reset, or the end of the sandbox, closes the run. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  view(behaviour = this.behaviour.values): WorldView {
    return this.#begin(this.world, behaviour);
  }

  shown(): ShownRecords {
    return new ShownRecords(this.view());
  }

  /** An immutable view of the records, for slow readers: later changes do not affect it. */
  shownSnapshot(): ShownRecords {
    return new ShownRecords(this.#begin(new World(this.world.snapshot())));
  }

  /** Runs a rule in one synchronous transaction: its writes go to the world, its events to the outbox, its notes to the warnings. */
  transact<Input, Result>(cause: Cause, rule: Rule<Input, Result>, input: Input): Result {
    const tx = this.#begin(this.world, this.behaviour.valuesFor(cause.entry ?? { by: "client" }));
    const result = rule(tx, input);
    if (cause.id !== null && this.context.memory.nearLimit) this.context.memory.checkRoom(tx.growth);
    const { hasWrites } = tx;
    if (cause.id !== null && (hasWrites || tx.events.length > 0)) this.log.check();
    const changes = tx.commit();
    this.#countWorld();
    if (hasWrites) this.log.changed("run", "counters");
    for (const note of tx.notes) this.logs.warn(note, cause.entry);
    if (changes.length > 0) this.#changed(changes, cause.id);
    for (const event of tx.events) this.deliveries.announce(cause, event, tx.behaviour);
    return result;
  }

  /** Replaces the state; clock, journal and deliveries stay. @throws Refusal if it does not fit or cannot be saved */
  replaceState(state: WorldState, causedBy: string | null): void {
    this.log.check();
    this.context.memory.checkRoom(state.bytes - this.#worldBytes);
    const { counters } = this.world;
    this.world.restore(state);
    this.#replaced(counters, causedBy);
    this.log.replaced();
  }

  #replaced(counters: Counters, causedBy: string | null): void {
    this.#countWorld();
    if (this.start.ids === "apart") this.world.counters = atLeast(this.world.counters, counters);
    this.#windows.watchAll();
    this.context.tell("state", [], causedBy);
  }

  /** Restores the state and clock of a snapshot. @throws Refusal if it does not fit or cannot be saved */
  restore(snapshot: Snapshot, causedBy: string | null): void {
    this.log.check();
    this.context.memory.checkRoom(this.states.ownBytesOf(snapshot) - this.#worldBytes);
    const milestone = ["restore", snapshot.name] as const;
    this.log.milestone(milestone);
    this.clock.set(snapshot.clock);
    const { counters } = this.world;
    this.states.apply(milestone);
    this.began = snapshot.began;
    this.#replaced(counters, causedBy);
    this.log.changed("run", "counters");
    this.log.changed("run", "began");
  }

  /** Sets, freezes or unfreezes the clock. This may change how records are shown. */
  setClock(to: { now?: number | undefined; frozen?: boolean | undefined }, causedBy: string | null): void {
    this.log.check();
    this.clock.set(to);
    this.context.tell("state", [], causedBy);
  }

  /** Changes behaviour values, already validated. This may change how records are shown. */
  patchBehaviour(values: Partial<BehaviourValues>, causedBy: string | null): void {
    this.behaviour.patch(values);
    if (Object.keys(values).some((key) => key.startsWith("window."))) this.#windows.watchAll();
    this.context.tell("state", [], causedBy);
  }

  #countWorld(): void {
    if (this.signal.aborted) return;
    const { ownBytes } = this.world;
    this.context.memory.countWorld(ownBytes - this.#worldBytes);
    this.#worldBytes = ownBytes;
  }

  /** Ends everything in progress. The run reports nothing any more, and counts towards the memory no longer. */
  close(): void {
    if (this.signal.aborted) return;
    this.#controller.abort();
    this.clock.close();
    this.calls.close();
    this.deliveries.close();
    this.context.memory.countWorld(-this.#worldBytes);
    this.context.memory.release(this.start.state);
    this.#memory.close();
  }

  /** How much memory its records and settings use, which `close` frees. */
  get bytes(): number {
    return this.#worldBytes + this.#memory.settingsBytes;
  }

  /** The current values of its parts, except its records. */
  get values(): KeptParts {
    const { parts } = this;
    const names = keysOf(parts).filter((name) => !isCollectionName(name));
    return fromKeys(
      names,
      (name) => new Map([...parts[name].keys()].map((key) => [key, parts[name].get(key)])),
    );
  }

  #begin(world: World, behaviour = this.behaviour.values): Transaction {
    return new Transaction(world, this.clock.now(), behaviour, this.start.seed, this.began);
  }

  #changed(changes: readonly Change[], causedBy: string | null): void {
    const threads: Change<"threads">[] = [];
    for (const change of changes) {
      this.log.changed(change.collection, change.id, change.after);
      if (change.collection === "threads") threads.push(change as Change<"threads">);
      if (change.collection === "webhooks" && change.after === null) this.deliveries.forgetWebhook(change.id);
    }
    for (const { id, after } of threads) this.#windows.watch(id, after);
    this.context.tell("state", changes, causedBy);
    const [at, view] = [this.clock.now(), { behaviour: this.behaviour.values }];
    for (const { id: threadId, before, after } of threads) {
      const difference = differenceOf(view, before, after);
      if (difference !== undefined) this.logs.change({ at, threadId, causedBy, ...difference });
    }
  }
}

const RUN_VALUES = {
  clock: ({ clock }: Run) => clock.position(),
  began: ({ began }: Run) => began,
  counters: ({ world }: Run) => world.counters,
  logs: ({ logs, sinks }: Run): LogTotals => ({ ...logs.totals, received: sinks.total }),
  faults: ({ faults }: Run) => faults.position,
};

const partsOf = (run: Run): Readonly<Record<PartName, DurablePart>> => ({
  ...fromKeys(COLLECTIONS, (collection) => ({
    keys: () => mapped(run.world.all(collection), ({ id }) => id),
    get: (id: string) => run.world.get(collection, id),
  })),
  run: {
    keys: () => keysOf(RUN_VALUES),
    get: (key) => (isKeyOf(RUN_VALUES, key) ? RUN_VALUES[key](run) : undefined),
  },
  behaviour: run.behaviour.patches,
  faults: run.faults.rules,
  rates: run.rates.windows,
  sinks: run.sinks.settings,
  deliveries: run.deliveries.pending,
  failures: run.deliveries.failures,
});

/** The behaviour of a run: that of its start, and what was changed since, which outlasts the process. */
class RunBehaviour extends Behaviour {
  readonly patches: DurableMap<unknown>;

  /** `reads` counts who consults the values; `kept` is what another process had. */
  constructor(
    start: Partial<BehaviourValues>,
    reads: ReadCounts,
    private readonly memory: MemoryLease,
    private readonly log: ChangeLog,
    kept: KeptParts | undefined,
  ) {
    const patches = new DurableMap<unknown>(log, "behaviour", kept);
    super({ ...start, ...Object.fromEntries(patches) }, reads);
    this.patches = patches;
    if (patches.size > 0) memory.set("behaviour", Object.fromEntries(patches));
  }

  /** What decides about a call: consulted by the system under test, but not by a scenario's own calls. */
  valuesFor({ by }: Pick<JournalEntry, "by">): BehaviourValues {
    return by === "client" ? this.counted : this.values;
  }

  /** @throws Refusal where the memory has no room for the change, or it cannot be kept */
  override patch(values: Partial<BehaviourValues>): void {
    this.log.check();
    this.memory.set("behaviour", { ...Object.fromEntries(this.patches), ...values });
    for (const [key, value] of Object.entries(values)) this.patches.set(key, value);
    super.patch(values);
  }
}

/** Counts calls in windows of the world's time (behaviour `limits.rate`). */
export class RateWindows {
  readonly windows: DurableMap<{ start: number; calls: number }>;

  constructor(log: ChangeLog = NOTHING_KEPT, kept?: KeptParts) {
    this.windows = new DurableMap(log, "rates", kept, "counted");
  }

  /** Counts one call of a token; 0 if it is within the limit, else the milliseconds until its window ends. */
  take(token: string, now: number, limit: { readonly requests: number; readonly per: number }): number {
    const { windows } = this;
    const window = windows.get(token);
    if (window !== undefined && now < window.start + limit.per && now >= window.start) {
      if (window.calls >= limit.requests) return window.start + limit.per - now;
      window.calls += 1;
      windows.counted(token);
      return 0;
    }
    // Windows stand in the order in which they began.
    windows.delete(token);
    windows.set(token, { start: now, calls: 1 });
    if (windows.size > BOUNDS.rateWindows.limit) windows.delete(windows.keys().next().value as string);
    return 0;
  }

  get size(): number {
    return this.windows.size;
  }
}
