import { BOUNDS } from "../kernel/bounds.js";
import { contain } from "../kernel/contain.js";
import { costOf, costOfText } from "../kernel/cost.js";
import type { Sliced } from "../kernel/slices.js";
import { inSlices } from "../kernel/slices.js";
import type { Delivery } from "./deliveries.js";
import { IdleWatch } from "./idle.js";
import type { JournalEntry } from "./journal.js";
import type { Stage, TrafficKind } from "./kinds.js";
import { DELIVERIES, REQUESTS } from "./kinds.js";
import type { Log, Logged } from "./log.js";
import type { DeliveryMatch, RequestMatch } from "./match.js";
import { MatchIndex } from "./match-index.js";
import type { StateMatch } from "./state-watch.js";
import { StateWatch } from "./state-watch.js";
import { matcher } from "./verify.js";
import type { WaitEnd } from "./wait.js";
import { Wait } from "./wait.js";
import type { WaitedOn } from "./waited.js";

export type { WaitEnd } from "./wait.js";
export { Wait } from "./wait.js";

/** How many waits one sandbox may have open; one more throws. */
export const MAX_WAITS = BOUNDS.waits.limit;
/** The longest that a wait may take, ms. */
export const MAX_WAIT_MS = BOUNDS.waitMs.limit;

/** What an open wait costs beside its match and the entries that it has: its own object and those around it. */
const WAIT_BYTES = 1024;

/** The number of open waits is at its bound. */
export class TooManyWaits extends Error {
  override readonly name = "TooManyWaits";

  constructor() {
    super(`there are ${MAX_WAITS} waits open already`);
  }
}

/** The waits with one and the same match: an entry is compared with it once for all of them. */
interface Group<E extends Logged, M> {
  readonly match: M;
  /** The stage at which an entry is compared with the match. */
  readonly stage: Stage;
  readonly waits: Set<Wait<E>>;
}

/** The waits for entries of one log. */
class LogWatch<E extends Logged, M extends object> {
  readonly #kind: TrafficKind<E, M>;
  readonly #log: () => Log<E>;
  readonly #sandbox: WaitedOn;
  readonly #groups = new Map<string, Group<E, M>>();
  readonly #index = new MatchIndex<E, Group<E, M>>();

  constructor(kind: TrafficKind<E, M>, sandbox: WaitedOn, log: () => Log<E>) {
    this.#kind = kind;
    this.#sandbox = sandbox;
    this.#log = log;
  }

  *waits(): Generator<Wait<E>> {
    for (const { waits } of this.#groups.values()) yield* waits;
  }

  /** @throws Refusal where the memory has no room for it */
  add(match: M, count: number, timeoutMs: number, onEnd: () => void, since: number): Wait<E> {
    const { memory, report } = this.#sandbox;
    const key = JSON.stringify(match);
    let bytes = 0;
    const keep = (more: number) => {
      memory.countWorld(more);
      bytes += more;
    };
    const own = WAIT_BYTES + costOf(match) + costOfText(key);
    memory.checkRoom(own);
    keep(own);
    const listener = {
      // The log may evict it, and the wait would keep it.
      taken: (entry: E) => keep(this.#kind.cost(entry)),
      ended: () => {
        memory.countWorld(-bytes);
        this.#forget(key, wait);
        onEnd();
      },
    };
    const wait: Wait<E> = new Wait<E>(count, timeoutMs, listener, since);
    const group = this.#groups.get(key) ?? this.#newGroup(key, match);
    group.waits.add(wait);
    wait.look();
    contain(report, () => inSlices(this.#look(wait, group, since)));
    return wait;
  }

  /** Looks at the entries that are there already, as long as the wait is open and the log the same. */
  *#look(wait: Wait<E>, { match, stage }: Group<E, M>, since: number): Sliced<void> {
    const log = this.#log();
    const isMatch = matcher(this.#kind, match);
    const found: E[] = [];
    for (const entry of log.from(since)) {
      if (!wait.open || log !== this.#log()) break;
      if (this.#kind.hasReached(entry, stage) && isMatch(entry)) found.push(entry);
      yield;
    }
    wait.looked(log === this.#log() ? found : []);
  }

  #newGroup(key: string, match: M): Group<E, M> {
    const group: Group<E, M> = { match, stage: this.#kind.stageOf(match), waits: new Set() };
    this.#groups.set(key, group);
    this.#index.add(this.#kind.literals(match), group);
    return group;
  }

  /** Looks at an entry that is new or has changed. */
  look(entry: E): void {
    const reached = this.#kind.reachedStages(entry);
    if (reached.length === 0) return;
    this.#index.look(entry, ({ match, stage, waits }) => {
      if (!reached.includes(stage) || this.#kind.differences(match, entry).length > 0) return;
      for (const wait of waits) wait.take([entry]);
    });
  }

  #forget(key: string, wait: Wait<E>): void {
    const group = this.#groups.get(key);
    if (group?.waits.delete(wait) !== true || group.waits.size > 0) return;
    this.#groups.delete(key);
    this.#index.remove(this.#kind.literals(group.match), group);
  }
}

/**
 * The waits that are open on one sandbox. An entry costs a look-up or two, however many waits there are, unless
 * their matches hold no plain value at all.
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
    for (const wait of [...this.#requests.waits(), ...this.#deliveries.waits()]) wait.restart();
  }

  /** The simulator ends: so do the waits that are open, and those to come. */
  stop(): void {
    this.#isStopping = true;
    this.#endAll("stopping");
  }

  #endAll(how: WaitEnd): void {
    const logs = [...this.#requests.waits(), ...this.#deliveries.waits()];
    for (const wait of [...logs, ...this.#idle.waits(), ...this.#state.waits()]) wait.end(how);
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
