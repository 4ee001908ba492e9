/** Waiting for calls, deliveries, a state, or until nothing is on its way. */
import { BOUNDS } from "../kernel/bounds.js";
import type { Report } from "../kernel/contain.js";
import { contain } from "../kernel/contain.js";
import { numberOf } from "../kernel/entry-ids.js";
import { differences } from "../kernel/matching.js";
import { later, nextTurn, soon } from "../kernel/realtime.js";
import { estimateBytes } from "../kernel/size.js";
import type { CollectionName, Records } from "../service/world/records.js";
import type { Change } from "../service/world/world.js";
import type { Delivery } from "./deliveries.js";
import type { InFlightCounter } from "./in-flight.js";
import type { JournalEntry } from "./journal.js";
import type { Log, Logged } from "./log.js";
import type { DeliveryMatch, RequestMatch, Stage, TrafficKind } from "./match.js";
import { DELIVERIES, REQUESTS } from "./match.js";
import type { MemoryBudget } from "./memory.js";
import type { SandboxObserver } from "./observer.js";
import type { ShownRecords } from "./threads.js";
import type { NearMiss } from "./verify.js";
import { nearestOf } from "./verify.js";

/** How many waits one sandbox may have open; one more throws. */
export const MAX_WAITS = BOUNDS.waits.limit;
/** The longest that a wait may take, ms. */
export const MAX_WAIT_MS = BOUNDS.waitMs.limit;

/** The number of open waits is at its bound. */
export class TooManyWaits extends Error {
  override readonly name = "TooManyWaits";

  constructor() {
    super(`there are ${MAX_WAITS} waits open already`);
  }
}

/** What waits read of a run. */
export interface WaitedRun {
  readonly logs: { readonly journal: Log<JournalEntry>; readonly deliveries: Log<Delivery> };
  readonly calls: InFlightCounter;
  shown(): ShownRecords;
  readonly outbox: { readonly idle: boolean; settled(): Promise<void> };
}

/** What is waited on: a sandbox, over resets. */
export interface WaitedOn {
  readonly run: WaitedRun;
  observe(observer: SandboxObserver): () => void;
  /** What open waits keep counts here. */
  readonly memory: Pick<MemoryBudget, "reserve" | "countWorld">;
  /** Is told of what fails in a callback that nobody waits for. */
  readonly report: Report;
}

/** Why a wait ended: its condition held, its time was up, its sandbox was deleted or goes on in another process, the simulator ends, or its client went away. */
export type WaitEnd = "met" | "timeout" | "closed" | "moved" | "stopping" | "dropped";

/** One wait that is open. It ends once, for whichever reason comes first. */
export class Wait<E extends Logged> {
  readonly #matches = new Map<string, E>();
  readonly #timeout: { cancel(): void };
  readonly #onEnd: () => void;
  #resolve: (end: WaitEnd) => void = () => {};
  #open = true;
  #since: number;
  readonly ended: Promise<WaitEnd>;

  /**
   * `count` is the number of matching entries that end the wait, `timeoutMs` real time. Only entries with a number above
   * `since` count.
   */
  constructor(
    readonly count: number,
    timeoutMs: number,
    /** Called once, at the end. */
    onEnd: () => void,
    since = 0,
  ) {
    this.#since = since;
    this.#onEnd = onEnd;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timeout = later(timeoutMs, () => this.end("timeout"), { background: true });
  }

  /** The number of the last entry that does not count; 0 where all count. */
  get since(): number {
    return this.#since;
  }

  get open(): boolean {
    return this.#open;
  }

  /** The matching entries so far, oldest first. */
  matches(): E[] {
    return [...this.#matches.values()].sort((a, b) => numberOf(a.id) - numberOf(b.id));
  }

  /** Takes matching entries; each counts once. */
  take(entries: Iterable<E>): void {
    if (!this.#open) return;
    for (const entry of entries) {
      if (numberOf(entry.id) <= this.#since || this.#matches.has(entry.id)) continue;
      this.#matches.set(entry.id, entry);
    }
    if (this.#matches.size >= this.count) this.end("met");
  }

  /** Forgets the matches, because the log begins anew and gives its ids again. */
  restart(): void {
    if (!this.#open) return;
    this.#matches.clear();
    this.#since = 0;
  }

  /** Ends the wait. `ended` resolves in a later turn of the event loop, when the entries are complete. */
  end(how: WaitEnd): void {
    if (!this.#open) return;
    this.#open = false;
    this.#timeout.cancel();
    this.#onEnd();
    soon(() => this.#resolve(how));
  }
}

/** What an open wait costs beside its match: its own object and those around it. */
const WAIT_BYTES = 1024;

/** Counts an open wait with the memory; what it returns gives that back. @throws Refusal where there is no room */
function reserve({ memory }: WaitedOn, match: object): () => void {
  const bytes = WAIT_BYTES + estimateBytes(match);
  memory.reserve(bytes);
  return () => memory.countWorld(-bytes);
}

/** A wait for entries of a log. */
interface LogWait<E extends Logged, M> extends Wait<E> {
  readonly match: M;
  /** The stage at which an entry is compared with the match. */
  readonly stage: Stage;
}

/** The waits for entries of one log. */
class LogWatch<E extends Logged, M extends object> {
  readonly waits = new Set<LogWait<E, M>>();
  readonly #kind: TrafficKind<E, M>;
  readonly #log: () => Log<E>;
  readonly #sandbox: WaitedOn;

  constructor(kind: TrafficKind<E, M>, sandbox: WaitedOn, log: () => Log<E>) {
    this.#kind = kind;
    this.#sandbox = sandbox;
    this.#log = log;
  }

  /** @throws Refusal where the memory has no room for it */
  add(match: M, count: number, timeoutMs: number, onEnd: () => void, since: number): Wait<E> {
    const giveBack = reserve(this.#sandbox, match);
    const ended = () => {
      giveBack();
      this.waits.delete(wait);
      onEnd();
    };
    const kind = this.#kind;
    const stage = kind.stageOf(match);
    const wait: LogWait<E, M> = Object.assign(new Wait<E>(count, timeoutMs, ended, since), { match, stage });
    this.waits.add(wait);
    const reached = [...this.#log().from(since)].filter((entry) => kind.hasReached(entry, stage));
    wait.take(reached.filter((entry) => this.#matches(match, entry)));
    return wait;
  }

  /** Looks at an entry that is new or has changed. */
  look(entry: E): void {
    const reached = this.#kind.reachedStages(entry);
    if (reached.length === 0) return;
    for (const wait of this.waits)
      if (reached.includes(wait.stage) && this.#matches(wait.match, entry)) wait.take([entry]);
  }

  #matches(match: M, entry: E): boolean {
    return !this.#kind.rulesOut(match, entry) && this.#kind.differences(match, entry).length === 0;
  }
}

/** A record of the state: one with an id, or any of its collection. */
interface StateMatch {
  readonly collection: CollectionName;
  readonly id?: string | undefined;
  /** MATCH */
  readonly values: object;
}
type StateRecord = Records[CollectionName];

/** One wait for a state. */
class StateWait extends Wait<never> {
  #records: readonly StateRecord[] = [];

  constructor(
    readonly match: StateMatch,
    timeoutMs: number,
    onEnd: () => void,
  ) {
    super(Number.POSITIVE_INFINITY, timeoutMs, onEnd);
  }

  /** The records that it ended with. */
  get records(): readonly StateRecord[] {
    return this.#records;
  }

  /** Ends the wait if any of these records is as asked. */
  look(records: Iterable<StateRecord>): void {
    if (!this.open) return;
    this.#records = [...records].filter((record) => differences(this.match.values, record).length === 0);
    if (this.#records.length > 0) this.end("met");
  }
}

/** The waits for a state of one sandbox. A change costs a comparison for each wait for its collection. */
class StateWatch {
  readonly waits = new Set<StateWait>();
  /** Those that are to look at the whole state. */
  readonly #due = new Set<StateWait>();
  readonly #sandbox: WaitedOn;
  #isScanning = false;

  constructor(sandbox: WaitedOn) {
    this.#sandbox = sandbox;
  }

  /** @throws Refusal where the memory has no room for it */
  add(match: StateMatch, timeoutMs: number, onEnd: () => void): StateWait {
    const giveBack = reserve(this.#sandbox, match);
    const wait = new StateWait(match, timeoutMs, () => {
      giveBack();
      this.waits.delete(wait);
      this.#due.delete(wait);
      onEnd();
    });
    this.waits.add(wait);
    wait.look(candidates(this.#sandbox.run.shown(), match));
    return wait;
  }

  /** Looks at records that have changed; an empty list stands for the whole state. */
  look(changes: readonly Change[]): void {
    if (this.waits.size === 0) return;
    if (changes.length === 0) {
      for (const wait of this.waits) this.#due.add(wait);
      contain(this.#sandbox.report, () => this.#scan());
      return;
    }
    const records = this.#sandbox.run.shown();
    for (const wait of this.waits) {
      const { collection, id } = wait.match;
      const changed = changes.flatMap((change) =>
        change.collection === collection && (id === undefined || id === change.id) && change.after !== null
          ? [records.show(collection, change.after)]
          : [],
      );
      wait.look(changed);
    }
  }

  /** Each look at the whole state has a turn of its own, since it takes as long as there are records. */
  async #scan(): Promise<void> {
    if (this.#isScanning) return;
    this.#isScanning = true;
    try {
      for (const wait of this.#due) {
        this.#due.delete(wait);
        wait.look(candidates(this.#sandbox.run.shown(), wait.match));
        await nextTurn();
      }
    } finally {
      this.#isScanning = false;
    }
  }
}

function candidates(records: ShownRecords, { collection, id }: StateMatch): Iterable<StateRecord> {
  if (id === undefined) return records.all(collection);
  const record = records.get(collection, id);
  return record === undefined ? [] : [record];
}

/** The records that come nearest to what is asked. */
export const nearestRecords = (records: ShownRecords, match: StateMatch): NearMiss<StateRecord>[] =>
  nearestOf(candidates(records, match), (record) => differences(match.values, record));

/** The waits for idleness of one sandbox: one watch for all of them. */
class IdleWatch {
  readonly waits = new Set<Wait<never>>();
  readonly #sandbox: WaitedOn;
  #watching = false;

  constructor(sandbox: WaitedOn) {
    this.#sandbox = sandbox;
  }

  add(timeoutMs: number, onEnd: () => void): Wait<never> {
    const ended = () => {
      this.waits.delete(wait);
      onEnd();
    };
    const wait = new Wait<never>(Number.POSITIVE_INFINITY, timeoutMs, ended);
    this.waits.add(wait);
    if (!this.#watching) contain(this.#sandbox.report, () => this.#watch());
    return wait;
  }

  /** A run that is closed has nothing on its way: the watch goes on with the next one. */
  async #watch(): Promise<void> {
    this.#watching = true;
    try {
      while (this.waits.size > 0) {
        const { run } = this.#sandbox;
        await run.calls.settled();
        await run.outbox.settled();
        if (await this.#standsStill(run)) for (const wait of this.waits) wait.end("met");
      }
    } finally {
      this.#watching = false;
    }
  }

  /** A receiver may have made a call whose bytes are here and not read yet: idle means that two turns bring nothing. */
  async #standsStill(run: WaitedRun): Promise<boolean> {
    const { logs, calls: inFlight, outbox } = run;
    const { journal, deliveries } = logs;
    const requestsBefore = journal.mark;
    const deliveriesBefore = deliveries.mark;
    await nextTurn();
    await nextTurn();
    return (
      run === this.#sandbox.run &&
      inFlight.idle &&
      outbox.idle &&
      journal.mark === requestsBefore &&
      deliveries.mark === deliveriesBefore
    );
  }
}

/**
 * The waits that are open on one sandbox. An entry is compared with each of them.
 *
 * @example
 * const wait = waiters.requests({ path: "/api/update-thread-status", status: 200 }, 1, 10_000);
 * if ((await wait.ended) === "met") console.log(wait.matches());
 */
export class Waiters {
  readonly #requests: LogWatch<JournalEntry, RequestMatch>;
  readonly #deliveries: LogWatch<Delivery, DeliveryMatch>;
  readonly #idle: IdleWatch;
  readonly #state: StateWatch;
  readonly #observe: () => () => void;
  #unsubscribe: (() => void) | undefined;
  #open = 0;
  #isStopping = false;

  constructor(sandbox: WaitedOn) {
    this.#requests = new LogWatch(REQUESTS, sandbox, () => sandbox.run.logs.journal);
    this.#deliveries = new LogWatch(DELIVERIES, sandbox, () => sandbox.run.logs.deliveries);
    this.#idle = new IdleWatch(sandbox);
    this.#state = new StateWatch(sandbox);
    this.#observe = () =>
      sandbox.observe({
        request: (entry) => this.#requests.look(entry),
        delivery: (delivery) => this.#deliveries.look(delivery),
        state: (changes) => this.#state.look(changes),
        reset: () => this.#restart(),
        moved: () => this.#endAll("moved"),
        close: () => this.#endAll("closed"),
      });
  }

  /** How many waits are open. */
  get open(): number {
    return this.#open;
  }

  /** Waits until `count` calls match, those already there from position `since` on included. @throws TooManyWaits */
  requests(match: RequestMatch, count: number, timeoutMs: number, since = 0): Wait<JournalEntry> {
    return this.#opened(() => this.#requests.add(match, count, timeoutMs, this.#leave, since));
  }

  /** Waits until `count` deliveries match, those already there from position `since` on included. @throws TooManyWaits */
  deliveries(match: DeliveryMatch, count: number, timeoutMs: number, since = 0): Wait<Delivery> {
    return this.#opened(() => this.#deliveries.add(match, count, timeoutMs, this.#leave, since));
  }

  /** Waits until nothing is on its way: no call, no delivery that is due. @throws TooManyWaits */
  idle(timeoutMs: number): Wait<never> {
    return this.#opened(() => this.#idle.add(timeoutMs, this.#leave));
  }

  /** Waits until the state holds a record, which it may hold already. @throws TooManyWaits */
  state(match: StateMatch, timeoutMs: number): ReturnType<StateWatch["add"]> {
    return this.#opened(() => this.#state.add(match, timeoutMs, this.#leave));
  }

  /** The logs and the state begin anew: open waits go on with what comes now. */
  #restart(): void {
    this.#state.look([]);
    for (const wait of [...this.#requests.waits, ...this.#deliveries.waits]) wait.restart();
  }

  /** The simulator ends: so do the waits that are open, and those to come. */
  stop(): void {
    this.#isStopping = true;
    this.#endAll("stopping");
  }

  #endAll(how: WaitEnd): void {
    const logs = [...this.#requests.waits, ...this.#deliveries.waits];
    for (const wait of [...logs, ...this.#idle.waits, ...this.#state.waits]) wait.end(how);
  }

  readonly #leave = (): void => {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  };

  #opened<W extends Pick<Wait<never>, "end">>(open: () => W): W {
    if (this.#open >= MAX_WAITS) throw new TooManyWaits();
    this.#open += 1;
    this.#unsubscribe ??= this.#observe();
    try {
      const wait = open();
      if (this.#isStopping) wait.end("stopping");
      return wait;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }
}
