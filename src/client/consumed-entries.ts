import { valueText } from "./misses.js";
import type { Transport } from "./transport.js";
import type { DeliveryRecord, NearMiss, RequestRecord } from "./types.js";

/** The two logs of a sandbox: the calls to the simulated API, and the deliveries. */
export interface Logs {
  readonly requests: RequestRecord;
  readonly deliveries: DeliveryRecord;
}
export type LogName = keyof Logs;
/** What a wait can be for: entries of a log, or the calls of replies as the step `reply` describes them. */
export interface Waitable extends Logs {
  readonly reply: RequestRecord;
}

interface Waited<E> {
  /** Whether enough entries matched in time. */
  readonly met: boolean;
  /** All matching entries, oldest first. */
  readonly matches: E[];
  readonly nearMisses: readonly NearMiss[];
  /** How many possibly relevant entries were evicted, if the wait was not met. */
  readonly evicted: number | undefined;
  /** How long ago each of `matches` was received, ms of real time; empty for deliveries, and if the wait was not met. */
  readonly agesMs: readonly number[];
  /** Why no reply or call came, if one was awaited: the diagnosis in words. */
  readonly why: string | undefined;
  /** Another possible cause if nothing came: calls with unknown API keys. */
  readonly hints: readonly string[];
  /** The run that the entries belong to. A reset begins another, in which ids begin again. */
  readonly run?: number | undefined;
}

interface WaitFor {
  readonly count?: number;
  /** Only entries after the one with this id count. */
  readonly since?: string | undefined;
  /** Only entries since the last control call, or call of a scenario, that caused a delivery count. */
  readonly sinceCause?: boolean;
  /** The ids of entries that do not count. */
  readonly except?: readonly string[];
  readonly timeoutMs: number;
  /** If another run begins, the wait ends without matches. */
  readonly run?: number | undefined;
}

/** The maximum duration of one `POST /wait`, ms. */
const MAX_WAIT_MS = 600_000;

export async function waitForEntries<L extends keyof Waitable>(
  transport: Transport,
  log: L,
  match: object,
  { timeoutMs, run, ...which }: WaitFor,
): Promise<Waited<Waitable[L]>> {
  if (!(timeoutMs >= 0))
    throw new TypeError(`a time to wait must be a number of milliseconds, but is ${valueText(timeoutMs)}`);
  const { status, body } = await transport.answer<Partial<Waited<Waitable[L]>>>("POST", "/wait", {
    body: {
      for: { [log]: match, ...which },
      timeoutMs: Math.min(Math.ceil(timeoutMs), MAX_WAIT_MS),
      run,
    },
    accept: [408],
  });
  const { matches = [], nearMisses = [], evicted, agesMs = [], why, hints = [], run: ran } = body;
  return { met: status === 200, matches, nearMisses, evicted, agesMs, why, hints, run: ran };
}

export interface TakeOptions extends Omit<WaitFor, "run" | "sinceCause" | "except"> {
  /** Entries consumed for one purpose are still available for another. Default: the log's name. */
  readonly purpose?: string;
}

interface Taken<E> extends Waited<E> {
  /** The oldest entry taken; undefined if there were too few. */
  readonly entry: E | undefined;
  /** The matching entries that were not taken before. */
  readonly fresh: readonly E[];
}

/** The purpose of entries that were used up without being taken. */
const USED = "used";
/** How many entries the server leaves out of a wait at most; older ones have left its journal. */
const MAX_EXCEPT = 1_000;

/** All matching entries up to `since` are taken, and those after it that are in `taken`. */
interface Mark {
  readonly since: string | undefined;
  readonly taken: number;
}

/** How long to wait for newer entries only, before older ones are checked again, ms of real time. */
const NEWER_ONLY_MS = 50;
/** How many entries must have been taken after a mark before the mark moves. */
const MIN_TAKEN_TO_MOVE = 16;

/** Takes entries from the logs of one sandbox, each at most once per purpose. */
export class ConsumedEntries {
  /** Entries up to these ids do not count. */
  #starts: Readonly<Partial<Record<LogName, string>>> = {};
  readonly #taken = new Map<string, Set<string>>();
  readonly #marks = new Map<string, Mark>();
  #run: number | undefined;

  constructor(private readonly transport: Transport) {}

  /** Forgets what was taken. `starts`: the newest current entries, so that only later ones count. */
  restart(starts: Readonly<Partial<Record<LogName, string>>> = {}): void {
    this.#starts = starts;
    this.#taken.clear();
    this.#marks.clear();
    this.#run = undefined;
  }

  /** The id after which entries count; undefined when all do. */
  start(log: LogName): string | undefined {
    return this.#starts[log];
  }

  isTaken(purpose: string, id: string): boolean {
    return this.#taken.get(purpose)?.has(id) ?? false;
  }

  /** Marks entries as used up by an expectation, for `quiet` alone: they can still be taken. */
  use(ids: Iterable<string>): void {
    for (const id of ids) this.#takenFor(USED).add(id);
  }

  /** Forgets what was taken if the sandbox has been reset since. */
  async sync(): Promise<void> {
    const body = { for: "idle", timeoutMs: 0 };
    const answer = await this.transport.answer<{ run: number }>("POST", "/wait", { body, accept: [408] });
    const { run } = answer.body;
    if (run !== this.#run) this.restart();
    this.#run = run;
  }

  /**
   * Waits for the given time, real ms, and ends as soon as an entry matches that no expectation has used up: one since the last control
   * call or call of a scenario that caused a delivery, however long ago it came.
   */
  async quiet<L extends keyof Waitable>(
    log: L,
    match: object,
    forMs: number,
  ): Promise<Pick<Waited<Waitable[L]>, "matches" | "evicted">> {
    const asked = { sinceCause: true, except: this.#newestUsed(log), timeoutMs: forMs, run: this.#run };
    const waited = await waitForEntries(this.transport, log, match, { ...asked, since: this.#startOf(log) });
    if (this.#run === undefined || waited.run === this.#run) {
      this.#run = waited.run;
      return waited;
    }
    this.restart();
    return this.quiet(log, match, forMs);
  }

  /**
   * Takes the oldest `count` entries that match and were not taken before, as soon as there are enough. The server performs the
   * wait: it is asked for the number already taken plus `count`.
   */
  async take<L extends keyof Waitable>(
    log: L,
    match: object,
    options: TakeOptions,
  ): Promise<Taken<Waitable[L]>> {
    const { count = 1, since, timeoutMs, purpose = log } = options;
    const start = since ?? this.#startOf(log);
    const key = JSON.stringify([purpose, log, start, match]);
    const taken = this.#takenFor(purpose);

    const takeAfter = async (mark: Mark, ms: number): Promise<Taken<Waitable[L]>> => {
      for (let wanted = mark.taken + count; ; ) {
        const run = this.#run;
        const asked = { count: wanted, since: mark.since, timeoutMs: ms, run };
        const waited = await waitForEntries(this.transport, log, match, asked);
        if (run !== undefined && waited.run !== run) {
          // Somebody else has reset the sandbox.
          this.restart();
          return this.take(log, match, options);
        }
        this.#run = waited.run;
        const fresh = waited.matches.filter(({ id }) => !taken.has(id));
        if (fresh.length >= count) {
          for (const { id } of fresh.slice(0, count)) taken.add(id);
          this.#marks.set(key, markAfter(mark, waited.matches, taken));
          return { ...waited, fresh, entry: fresh[0] };
        }
        if (!waited.met) return { ...waited, fresh, entry: undefined };
        wanted = waited.matches.length + count - fresh.length;
      }
    };

    const mark = this.#marks.get(key) ?? { since: start, taken: 0 };
    if (mark.since === start) return takeAfter(mark, timeoutMs);
    // An entry before the mark may start to match late, such as a retried delivery.
    const newerMs = Math.min(NEWER_ONLY_MS, timeoutMs);
    const newer = await takeAfter(mark, newerMs);
    return newer.entry ? newer : takeAfter({ since: start, taken: 0 }, timeoutMs - newerMs);
  }

  /** The entries of a log that were used up for any purpose, the newest of them. */
  #newestUsed(log: keyof Waitable): string[] {
    const prefix = log === "deliveries" ? "d" : "r";
    const used = new Set([...this.#taken.values()].flatMap((ids) => [...ids]));
    const ofLog = [...used].filter((id) => id.startsWith(prefix));
    return ofLog.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))).slice(-MAX_EXCEPT);
  }

  #startOf(log: keyof Waitable): string | undefined {
    return this.#starts[log === "reply" ? "requests" : log];
  }

  #takenFor(purpose: string): Set<string> {
    const taken = this.#taken.get(purpose) ?? new Set();
    this.#taken.set(purpose, taken);
    return taken;
  }
}

/** The mark after a take; it moves if everything that matches is taken, so that later waits send less. */
function markAfter(
  { since }: Mark,
  matches: readonly { readonly id: string }[],
  taken: ReadonlySet<string>,
): Mark {
  const count = matches.filter(({ id }) => taken.has(id)).length;
  const isMoving = count === matches.length && count >= MIN_TAKEN_TO_MOVE;
  return isMoving ? { since: matches.at(-1)?.id, taken: 0 } : { since, taken: count };
}
