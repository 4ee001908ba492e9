/** Waits for calls, deliveries, a state, or idleness. */
import { BOUNDS } from "../kernel/bounds.js";
import { type OnError, runSafely } from "../kernel/errors.js";
import { differences, matches } from "../kernel/matching.js";
import { numberOf } from "../kernel/objects.js";
import { LimitReached } from "../kernel/problems.js";
import { later, nextTurn, soon } from "../kernel/realtime.js";
import type { CollectionName, Records } from "../service/world/records.js";
import type { InFlightCounter } from "./in-flight.js";
import type { Logged } from "./log.js";
import { fitting, type NearEntry, nearestOf, type TrafficKind, type TrafficLogs } from "./match.js";
import type { SandboxObserver } from "./observer.js";
import type { ShownRecords } from "./threads.js";

interface WaitedOn {
  readonly run: {
    readonly epoch: number;
    readonly logs: TrafficLogs;
    readonly calls: InFlightCounter;
    shown(): ShownRecords;
    readonly outbox: { readonly idle: boolean; settled(): Promise<void> };
  };
  observe(observer: SandboxObserver): () => void;
  readonly report: OnError;
}

/** `moved`: its sandbox continues in another process; `dropped`: its client is gone. */
type WaitEnd = "met" | "timeout" | "closed" | "moved" | "dropped";

/** One open wait. It ends exactly once, for the first reason. */
export class Wait<E extends Logged> {
  /** For waits on a log: only entries after this position count. */
  since = 0;
  readonly #matches = new Map<string, E>();
  #compared = Promise.resolve();
  readonly #timeout: { cancel(): void };
  #resolve: (end: WaitEnd) => void = () => {};
  open = true;
  readonly ended: Promise<WaitEnd>;

  /** `count` is the number of matching entries to wait for, `timeoutMs` is real time. `onEnd` is called once. */
  constructor(
    readonly count: number,
    timeoutMs: number,
    readonly onEnd: () => void,
  ) {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timeout = later(timeoutMs, () => void this.#compared.then(() => this.end("timeout")), {
      background: true,
    });
  }

  matches(): E[] {
    return [...this.#matches.values()];
  }

  /** Takes those of the entries already there that fit. It does not time out before all are compared. */
  takePresent(entries: readonly E[], fits: (entry: E) => boolean, isCurrent: () => boolean): void {
    this.#compared = fitting(entries, fits).then((found) => {
      if (isCurrent()) this.take(found);
    });
  }

  take(entries: readonly E[]): void {
    if (!this.open) return;
    for (const entry of entries) this.#matches.set(entry.id, entry);
    if (this.#matches.size >= this.count) this.end("met");
  }

  /** Forgets the matches, because the log restarts with the same ids. */
  restart(): void {
    if (!this.open) return;
    this.#matches.clear();
    this.since = 0;
  }

  /** Ends the wait. `ended` resolves in a later turn of the event loop, when the entries are complete. */
  end(how: WaitEnd): void {
    if (!this.open) return;
    this.open = false;
    this.#timeout.cancel();
    this.onEnd();
    soon(() => this.#resolve(how));
  }
}

export interface StateMatch {
  readonly collection: CollectionName;
  readonly id?: string | undefined;
  readonly values: object;
}
type StateRecord = Records[CollectionName];

function candidates(records: ShownRecords, { collection, id }: StateMatch): Iterable<StateRecord> {
  if (id === undefined) return records.all(collection);
  const record = records.get(collection, id);
  return record === undefined ? [] : [record];
}

/** The records that come nearest, of the newest ones. */
export function nearestRecords(records: ShownRecords, match: StateMatch): Promise<NearEntry<StateRecord>[]> {
  const newest = [...candidates(records, match)].slice(-BOUNDS.nearMissEntries.limit);
  return nearestOf(newest, (record) => differences(match.values, record));
}

interface EntriesWanted {
  /** How many matching entries to wait for; default 1. */
  readonly count?: number;
  /** Only entries after this position of the log count. */
  readonly since?: number;
  /** The ids of entries that do not count. */
  readonly except?: readonly string[];
  readonly epoch?: number | undefined;
}

/** The open waits on one sandbox: every entry is compared with every wait. */
export class Waiters {
  /** How many are open. */
  open = 0;

  constructor(private readonly sandbox: WaitedOn) {}

  /**
   * Waits until enough entries of a log match; if an epoch is given, only those of its run, and only while that lasts.
   * @throws LimitReached
   */
  entries<E extends Logged, M extends object>(
    kind: TrafficKind<E, M>,
    match: M,
    timeoutMs: number,
    { count = 1, since = 0, except = [], epoch }: EntriesWanted = {},
  ): Wait<E> {
    const ignored = new Set(except);
    const fits = (entry: E) => !ignored.has(entry.id) && kind.differences(match, entry, 1).length === 0;
    const wait: Wait<E> = this.#begin(count, timeoutMs, {
      [kind.event]: (entry: E) => {
        if (numberOf(entry.id) > wait.since && kind.isDecided(match, entry) && fits(entry))
          wait.take([entry]);
      },
      reset: () => {
        wait.restart();
        if (epoch !== undefined) wait.end("met");
      },
    });
    if (epoch !== undefined && epoch !== this.sandbox.run.epoch) wait.end("met");
    wait.since = since;
    const { run } = this.sandbox;
    const there = [...kind.logIn(run.logs).from(since)].filter((entry) => kind.isDecided(match, entry));
    wait.takePresent(there, fits, () => run === this.sandbox.run);
    return wait;
  }

  /** Waits until the state contains a record, which may already be the case. @throws as `entries` */
  state(match: StateMatch, timeoutMs: number): Wait<StateRecord> {
    const fits = (record: StateRecord) => matches(match.values, record);
    const shown = () => this.sandbox.run.shown();
    const look = () => {
      const { run } = this.sandbox;
      wait.takePresent([...candidates(shown(), match)], fits, () => run === this.sandbox.run);
    };
    const wait: Wait<StateRecord> = this.#begin(1, timeoutMs, {
      state: (changes) => {
        if (changes.length === 0) return look();
        const records = changes.flatMap(({ collection, id, after }) =>
          collection === match.collection && (match.id ?? id) === id && after !== null
            ? [shown().show(collection, after)]
            : [],
        );
        wait.take(records.filter(fits));
      },
      reset: look,
    });
    look();
    return wait;
  }

  /** Waits until the sandbox is idle: no call in flight, no delivery due. @throws LimitReached */
  idle(timeoutMs: number): Wait<never> {
    const wait: Wait<never> = this.#begin(1, timeoutMs, {});
    runSafely(this.sandbox.report, () => this.#awaitIdleness(wait));
    return wait;
  }

  /** A closed run is idle: the wait continues with the next one. */
  async #awaitIdleness(wait: Wait<never>): Promise<void> {
    while (wait.open) {
      const { run } = this.sandbox;
      await run.calls.settled();
      await run.outbox.settled();
      if (await this.#standsStill(run)) wait.end("met");
    }
  }

  /** A receiver's call may have arrived without being read yet: idle means that nothing happens for two turns. */
  async #standsStill(run: WaitedOn["run"]): Promise<boolean> {
    const { logs, calls, outbox } = run;
    const entered = () => logs.journal.mark + logs.deliveryLog.mark;
    const before = entered();
    await nextTurn();
    await nextTurn();
    return run === this.sandbox.run && calls.idle && outbox.idle && entered() === before;
  }

  #begin<E extends Logged>(count: number, timeoutMs: number, observer: SandboxObserver): Wait<E> {
    if (this.open >= BOUNDS.waits.limit) throw new LimitReached("waits", BOUNDS.waits.limit);
    const wait = new Wait<E>(count, timeoutMs, () => {
      this.open -= 1;
      unobserve();
    });
    const unobserve = this.sandbox.observe({
      ...observer,
      moved: () => wait.end("moved"),
      close: () => wait.end("closed"),
    });
    this.open += 1;
    return wait;
  }
}
