import { numberOf } from "../kernel/objects.js";
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
  const { status, body } = await transport.answer<Partial<Waited<Waitable[L]>>>("POST", "/wait", {
    body: {
      for: { [log]: match, ...which },
      timeoutMs: Math.min(Math.ceil(timeoutMs), MAX_WAIT_MS),
      run,
    },
    accept: [408],
  });
  const { matches = [], nearMisses = [], evicted, agesMs = [], why, run: ran } = body;
  return { met: status === 200, matches, nearMisses, evicted, agesMs, why, run: ran };
}

export interface TakeOptions extends Pick<WaitFor, "count" | "timeoutMs"> {
  /** Entries consumed for one purpose are still available for another. Default: the log's name. */
  readonly purpose?: string;
}

/** What a wait found among the entries that were not taken before. */
interface Taken<E> extends Waited<E> {
  /** The oldest entry taken; undefined if there were too few. */
  readonly entry: E | undefined;
}

/** The purpose of entries that were used up without being taken. */
const USED = "used";
/** How many entries the server leaves out of a wait at most; those before the newest of them do not count either. */
const MAX_EXCEPT = 1_000;

/** Takes entries from the logs of one sandbox, each at most once per purpose. */
export class ConsumedEntries {
  /** Entries up to these ids do not count. */
  #starts: Readonly<Partial<Record<LogName, string>>> = {};
  readonly #taken = new Map<string, Set<string>>();
  #run: number | undefined;

  constructor(private readonly transport: Transport) {}

  /** Forgets what was taken. `starts`: the newest current entries, so that only later ones count. */
  restart(starts: Readonly<Partial<Record<LogName, string>>> = {}): void {
    this.#starts = starts;
    this.#taken.clear();
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
    this.#isSameRun(answer.body.run);
  }

  /**
   * Waits for the given time, real ms, and ends as soon as an entry matches that no expectation has used up: one since the last control
   * call or call of a scenario that caused a delivery, however long ago it came.
   */
  quiet<L extends keyof Waitable>(
    log: L,
    match: object,
    forMs: number,
  ): Promise<Pick<Waited<Waitable[L]>, "matches" | "evicted">> {
    const used = () => [...this.#taken.values()].flatMap((ids) => [...ids]);
    return this.#wait(log, match, used, { sinceCause: true, timeoutMs: forMs });
  }

  /** Takes the oldest `count` entries that match and were not taken before, as soon as there are enough. */
  async take<L extends keyof Waitable>(
    log: L,
    match: object,
    { count = 1, purpose = log, ...options }: TakeOptions,
  ): Promise<Taken<Waitable[L]>> {
    const waited = await this.#wait(log, match, () => this.#takenFor(purpose), { count, ...options });
    const taken = waited.met ? waited.matches.slice(0, count) : [];
    for (const { id } of taken) this.#takenFor(purpose).add(id);
    return { ...waited, entry: taken[0] };
  }

  /** Waits for entries that are not used yet. If somebody else resets the sandbox meanwhile, nothing is used, and it waits again. */
  async #wait<L extends keyof Waitable>(
    log: L,
    match: object,
    used: () => Iterable<string>,
    options: Omit<WaitFor, "since" | "run" | "except">,
  ): Promise<Waited<Waitable[L]>> {
    const prefix = log === "deliveries" ? "d" : "r";
    const ofLog = [...used()].filter((id) => id.startsWith(prefix));
    const sorted = ofLog.sort((a, b) => numberOf(a) - numberOf(b));
    const since = this.#starts[log === "reply" ? "requests" : (log as LogName)];
    const older = sorted.at(-MAX_EXCEPT - 1);
    const after = numberOf(older) > numberOf(since) ? older : since;
    const asked = { ...options, since: after, except: sorted.slice(-MAX_EXCEPT), run: this.#run };
    const waited = await waitForEntries(this.transport, log, match, asked);
    return this.#isSameRun(waited.run) ? waited : this.#wait(log, match, used, options);
  }

  /** Whether this is the run of what was taken. If not, that is forgotten. */
  #isSameRun(run: number | undefined): boolean {
    const isSame = this.#run === undefined || run === this.#run;
    if (!isSame) this.restart();
    this.#run = run;
    return isSame;
  }

  #takenFor(purpose: string): Set<string> {
    const taken = this.#taken.get(purpose) ?? new Set();
    this.#taken.set(purpose, taken);
    return taken;
  }
}
