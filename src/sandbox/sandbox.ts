import { BOUNDS } from "../kernel/bounds.js";
import { type OnError, runSafely } from "../kernel/errors.js";
import { isKeyOf, keysOf } from "../kernel/objects.js";
import { LimitReached } from "../kernel/problems.js";
import { Coverage } from "./coverage.js";
import { firstIdsOf, type IdCounters } from "./ids.js";
import { InFlightCounter } from "./in-flight.js";
import type { SandboxObserver, Tell } from "./observer.js";
import { type KeptRun, Run, type RunContext } from "./run.js";
import type { Saver } from "./saver.js";
import type { LoadedStart, RunStart, Snapshot } from "./states.js";
import { Waiters } from "./waits.js";

export interface SandboxSetup extends RunStart {
  readonly id: string;
  readonly journalLimit: number;
  /** The parts of its start that its creator chose: the others are those of the server. */
  readonly own?: Partial<RunStart> | undefined;
  /** When it expires, in real time, ms since 1970; default: never. */
  readonly expiresAt?: number | undefined;
}

export interface SandboxContext extends Pick<RunContext, "outbox"> {
  readonly nextEpoch: () => number;
  readonly saverOf: (sandbox: Sandbox) => Saver;
  readonly report: (error: unknown, sandboxId: string) => void;
}

/** What a document holds of a sandbox, beside its options. */
export interface KeptSandbox {
  readonly run: KeptRun;
  readonly over: Partial<RunStart>;
  readonly snapshots: readonly Snapshot[];
  readonly reached?: IdCounters | undefined;
}

/** One whole world: its id, its start, its named snapshots and its current run. Sandboxes share nothing. */
export class Sandbox {
  readonly id: string;
  readonly own: Partial<RunStart>;
  /** What it resets to. */
  start: RunStart;
  /** The parts that the last reset replaced for one run. */
  over: Partial<RunStart>;
  run: Run;
  /** The last ids that its runs gave out, if they are disjoint from those of other sandboxes. */
  reached: IdCounters | undefined;
  /** Each shares with the run what has not changed since. */
  readonly snapshots = new Map<string, Snapshot>();
  readonly expiresAt: number | undefined;
  readonly waiters: Waiters = new Waiters(this);
  readonly saver: Saver;
  readonly streams = new InFlightCounter();
  /** Control calls to it in flight. */
  readonly controlCalls = new InFlightCounter();
  /** The posted scenarios running in it: at most one. */
  readonly scenarios = new InFlightCounter();
  readonly report: OnError;
  readonly coverage = new Coverage();
  readonly #context: SandboxContext;
  readonly #journalLimit: number;
  readonly #observers = new Set<SandboxObserver>();
  /** Notifies the observers. One that fails must not affect the others. */
  readonly tell: Tell = (event, ...about) => {
    for (const observer of this.#observers)
      if (observer[event] !== undefined)
        runSafely(this.report, () => (observer[event] as (...about: unknown[]) => void)(...about));
  };

  constructor(options: SandboxSetup, context: SandboxContext, kept?: KeptSandbox) {
    this.id = options.id;
    this.expiresAt = options.expiresAt;
    this.own = options.own ?? {};
    this.start = options;
    this.over = kept?.over ?? {};
    this.#journalLimit = options.journalLimit;
    this.#context = context;
    this.report = (error) => context.report(error, options.id);
    this.saver = context.saverOf(this);
    if (kept === undefined) this.saver.check();
    for (const snapshot of kept?.snapshots ?? []) this.snapshots.set(snapshot.name, snapshot);
    this.reached = kept?.reached;
    this.run = this.#begin(kept?.run);
    if (kept === undefined) this.saver.changed();
  }

  get openWaits(): number {
    return this.waiters.open;
  }

  /** Notifies `observer` of what happens, over all resets, until the returned function is called. */
  observe(observer: SandboxObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Takes a snapshot, replacing any of that name. @throws LimitReached, and Refusal if this cannot be saved */
  keep(name: string): Snapshot {
    if (!this.snapshots.has(name) && this.snapshots.size >= BOUNDS.snapshots.limit)
      throw new LimitReached("snapshots", BOUNDS.snapshots.limit);
    const { world, clock, began } = this.run;
    this.saver.check();
    const snapshot = { name, state: world.snapshot(), clock: clock.state(), began };
    this.snapshots.set(name, snapshot);
    this.saver.changed();
    return snapshot;
  }

  /** Removes a snapshot; true if there was one. @throws Refusal if the change cannot be saved */
  forget(name: string): boolean {
    if (!this.snapshots.has(name)) return false;
    this.saver.check();
    this.snapshots.delete(name);
    this.saver.changed();
    return true;
  }

  /** Resets to the start, in which `over` replaces parts for this run; named snapshots stay. @throws Refusal if this cannot be saved */
  reset(over: Partial<RunStart> = {}): void {
    this.#restart(this.start, over);
  }

  /**
   * Replaces parts of the start, except those that its creator chose, and resets to it; false if that leaves none, and the run
   * continues. @throws Refusal if this cannot be saved
   */
  load(parts: LoadedStart): boolean {
    const replaced = keysOf(parts).filter((part) => !isKeyOf(this.own, part));
    if (replaced.length === 0) return false;
    this.#restart({ ...this.start, ...Object.fromEntries(replaced.map((part) => [part, parts[part]])) }, {});
    return true;
  }

  /** Ends the run and begins the next. @throws Refusal if this cannot be saved */
  #restart(start: RunStart, over: Partial<RunStart>): void {
    this.saver.check();
    const { start: ended, world, logs } = this.run;
    this.run.close();
    const { threads, messages } = world.counters;
    if (ended.ids === "apart") this.reached = { threads, messages, deliveries: logs.deliveryLog.mark };
    this.start = start;
    this.over = over;
    this.run = this.#begin();
    this.saver.changed();
    this.tell("reset");
  }

  /** Whether it is idle: no call, no wait, no listener, and nothing in flight. */
  get isQuiet(): boolean {
    const { calls, outbox, deliveries } = this.run;
    const isIdle = [calls, this.controlCalls, this.scenarios, this.streams].every(({ idle }) => idle);
    return isIdle && this.openWaits === 0 && outbox.idle && deliveries.pending.size === 0;
  }

  close(): void {
    this.run.close();
    this.tell("close");
  }

  /** Starts a run, or continues that of a document. */
  #begin(kept?: KeptRun): Run {
    const start = { ...this.start, ...this.over };
    const context = {
      ...this.#context,
      sandboxId: this.id,
      epoch: this.#context.nextEpoch(),
      journalLimit: this.#journalLimit,
      coverage: this.coverage,
      tell: this.tell,
      report: this.report,
      saver: this.saver,
      reached: start.ids === "apart" ? (this.reached ??= firstIdsOf(this.id)) : undefined,
    };
    return new Run(context, start, kept);
  }
}
