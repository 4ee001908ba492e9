import { BOUNDS } from "../kernel/bounds.js";
import type { OnError } from "../kernel/errors.js";
import { runSafely } from "../kernel/errors.js";
import { keysOf } from "../kernel/objects.js";
import { Coverage } from "./coverage.js";
import type { ChangeLog } from "./durable.js";
import type { IdCounters } from "./ids.js";
import { DisjointIds } from "./ids.js";
import { InFlightCounter } from "./in-flight.js";
import type { SandboxObserver, Tell } from "./observer.js";
import type { RunContext, RunResumeState } from "./run.js";
import { Run } from "./run.js";
import type { LoadedPart, LoadedStart, RunStart, Snapshot } from "./states.js";
import { SandboxStates, Snapshots } from "./states.js";
import { Waiters } from "./waits.js";

export interface SandboxOptions extends RunStart {
  readonly id: string;
  readonly journalLimit: number;
  /** The parts of its start that its creator chose: what is loaded anew does not replace them. */
  readonly own?: readonly LoadedPart[] | undefined;
  /** When it goes away by itself, in real time, ms since 1970; left out: never. */
  readonly expiresAt?: number | undefined;
}

export interface SandboxResumeState {
  readonly states: SandboxStates;
  readonly run: RunResumeState;
  readonly reached: Partial<IdCounters>;
}

export interface SandboxContext extends Pick<RunContext, "outbox" | "memory" | "totals"> {
  readonly nextEpoch: () => number;
  readonly log: (sandbox: Sandbox) => ChangeLog;
  readonly report: (error: unknown, sandboxId: string) => void;
}

/** One whole world: its id, its start, its named snapshots and its current run. Nothing of it is shared with another sandbox. */
export class Sandbox {
  readonly id: string;
  readonly own: readonly LoadedPart[];
  readonly expiresAt: number | undefined;
  readonly snapshots: Snapshots;
  readonly waiters: Waiters = new Waiters(this);
  readonly log: ChangeLog;
  readonly streams = new InFlightCounter();
  /** The control calls to it that are not answered yet. */
  readonly controlCalls = new InFlightCounter();
  /** The posted scenarios that run in it: one at most. */
  readonly scenarios = new InFlightCounter();
  readonly report: OnError;
  readonly coverage = new Coverage();
  readonly #options: SandboxOptions;
  readonly #context: SandboxContext;
  readonly #observers = new Set<SandboxObserver>();
  readonly #tell: Tell = (event, ...about) => {
    // An observer that fails keeps nothing from the others.
    for (const observer of this.#observers)
      runSafely(this.report, () =>
        (observer[event] as ((...about: unknown[]) => void) | undefined)?.(...about),
      );
  };
  readonly #apart: DisjointIds;
  /** Runs that have ended and that a snapshot brings back, by their numbers, the newest last. */
  readonly #ended = new Map<number, Run>();
  readonly #states: SandboxStates;
  #run: Run;

  constructor(options: SandboxOptions, context: SandboxContext, resumeState?: SandboxResumeState) {
    this.id = options.id;
    this.expiresAt = options.expiresAt;
    this.own = options.own ?? [];
    this.#states = resumeState?.states ?? new SandboxStates(options);
    this.#options = options;
    this.#context = context;
    this.log = context.log(this);
    if (resumeState === undefined) this.log.check();
    this.snapshots = new Snapshots(context.memory, this.log, this.#states);
    context.memory.hold(options.state);
    this.report = (error) => context.report(error, options.id);
    this.#apart = new DisjointIds(options.id, resumeState?.reached);
    this.#run = this.#begin(resumeState?.run);
    if (resumeState === undefined) this.log.replaced();
  }

  get start(): RunStart {
    return this.#states.start;
  }

  get run(): Run {
    return this.#run;
  }

  get memory(): SandboxContext["memory"] {
    return this.#context.memory;
  }

  get openWaits(): number {
    return this.waiters.open;
  }

  /** Tells `observer` what happens from now on, over resets, until the returned function is called. */
  observe(observer: SandboxObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /**
   * Back to the start: a new run takes the place of this one, whose deliveries are aborted; named snapshots stay.
   * `over` replaces parts of the start, for this once.
   *
   * @throws Refusal where that cannot be kept
   */
  reset(over: Partial<RunStart> = {}): void {
    this.#end();
    const isOther = Object.keys(over).length > 0;
    if (isOther) this.#states.begin({ ...this.start, ...over });
    else {
      this.log.milestone(["reset"]);
      this.#states.apply(["reset"]);
    }
    this.#run = this.#begin();
    if (isOther) this.log.replaced();
    else for (const value of ["counters", "logs", "began"]) this.log.changed("run", value);
    this.#tell("reset", []);
  }

  /**
   * Puts parts of a start in place of its own, but for those that its creator chose, and resets it to that.
   *
   * @returns the parts that were replaced; where there are none it goes on
   * @throws Refusal where that cannot be kept
   */
  load(parts: LoadedStart): readonly LoadedPart[] {
    const replaced = keysOf(parts).filter((part) => !this.own.includes(part));
    if (replaced.length === 0) return replaced;
    this.#end();
    const { memory } = this.#context;
    const { state } = this.start;
    this.#states.start = {
      ...this.start,
      ...Object.fromEntries(replaced.map((part) => [part, parts[part]])),
    };
    memory.hold(this.start.state);
    memory.release(state);
    this.#states.begin(this.start);
    this.#run = this.#begin();
    this.log.replaced();
    this.#tell("reset", replaced);
    return replaced;
  }

  /** Ends the run. @throws Refusal where what follows cannot be kept */
  #end(): void {
    this.log.check();
    const run = this.#run;
    run.close();
    const { start, world, logs, epoch } = run;
    this.#ended.set(epoch, run);
    if (start.ids === "apart") this.#apart.reached(world.counters, logs.deliveries.mark);
    const wanted = new Set(this.snapshots.list().map((snapshot) => snapshot.epoch));
    for (const old of [...this.#ended.keys()].filter((one) => !wanted.has(one))) this.#forget(old);
    for (const old of [...this.#ended.keys()].slice(0, -BOUNDS.endedRuns.limit)) this.#forget(old);
    // The snapshot has its state.
    if (this.#ended.has(epoch)) world.restore(start.state);
  }

  #forget(epoch: number): void {
    this.#ended.get(epoch)?.release();
    this.#ended.delete(epoch);
  }

  /** Whether a snapshot brings back more than state and clock: all that the run had in which it was taken. */
  bringsBack({ epoch = 0 }: Snapshot): boolean {
    return epoch === this.#run.epoch || this.#ended.has(epoch);
  }

  /**
   * Back to the state and clock of a snapshot; where it was to, and the run in which it was taken has ended, with all
   * that this had.
   *
   * @throws Refusal where the memory has no room for it, or it cannot be kept
   */
  restore(snapshot: Snapshot, causedBy: string | null): void {
    const { epoch = 0, state, ownBytes, clock } = snapshot;
    const ended = this.#ended.get(epoch);
    if (ended === undefined) return this.#run.restore(snapshot, causedBy);
    this.memory.checkRoom(ownBytes - this.#run.world.ownBytes);
    const { start, remains } = ended;
    this.#end();
    this.#forget(epoch);
    const from = start.ids === "apart" ? this.#apart.continuing(state) : state;
    this.#states.begin(start);
    this.#states.world.restore(from, ownBytes);
    this.#run = this.#begin(remains, epoch);
    this.#run.clock.set(clock);
    this.log.replaced();
    this.#tell("reset", []);
  }

  /** How far the ids of its runs came, where they are apart from every other sandbox's. */
  get reached(): IdCounters {
    return this.#apart.counters;
  }

  /** Another process is to have it: ends waits and streams, whose clients may ask there. */
  move(): void {
    this.#tell("moved");
  }

  /** Whether nobody calls it, waits for anything in it or listens, and nothing is on its way. */
  get isQuiet(): boolean {
    const { calls, outbox, deliveries } = this.#run;
    const isIdle = [calls, this.controlCalls, this.scenarios, this.streams].every(({ idle }) => idle);
    return isIdle && this.openWaits === 0 && outbox.idle && deliveries.pending.size === 0;
  }

  close(): void {
    this.#run.close();
    this.#run.release();
    for (const epoch of this.#ended.keys()) this.#forget(epoch);
    this.snapshots.close();
    this.#context.memory.release(this.start.state);
    this.#tell("close");
  }

  /** Begins a run with the world of now; `resumeState`: what another one had beside it. */
  #begin(resumeState?: RunResumeState, epoch = this.#context.nextEpoch()): Run {
    const { begun, world } = this.#states;
    const isApart = begun.ids === "apart";
    if (isApart && resumeState === undefined) world.counters = this.#apart.continuing(begun.state).counters;
    const context = {
      ...this.#context,
      sandboxId: this.id,
      epoch,
      journalLimit: this.#options.journalLimit,
      coverage: this.coverage,
      tell: this.#tell,
      report: this.report,
      log: this.log,
      firstDelivery: isApart ? this.#apart.counters.deliveries : 0,
    };
    return new Run(this.#states, context, resumeState);
  }
}
