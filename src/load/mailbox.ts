import type { LogName, Logs, TakeOptions } from "../client/consumed-entries.js";
import { BOUNDS } from "../kernel/bounds.js";
import { type Later, later, monotonicNow } from "../kernel/realtime.js";
import type { Feed } from "./feed.js";

/** Something that happened to one customer, and when it was heard of. */
interface Heard {
  readonly log: LogName;
  readonly entry: Logs[LogName];
  readonly at: number;
}

interface Waiter {
  readonly log: LogName;
  readonly match: object;
  readonly count: number;
  /** What is found is used up: it goes on after the finish. */
  readonly isTaking: boolean;
  readonly found: Heard[];
  readonly resolve: (found: readonly Heard[]) => void;
  readonly timeout: Later;
}

/** What nobody has asked for is kept up to this, the newest. */
const MAX_KEPT = BOUNDS.loadUnasked.limit;

/** The calls and deliveries about one customer's thread, in the order in which they were heard of. */
export class Mailbox {
  readonly #matches: Feed["matches"];
  #kept: Heard[] = [];
  #waiter: Waiter | undefined;

  constructor(matches: Feed["matches"]) {
    this.#matches = matches;
  }

  /** How many of these calls there are that no step has taken. */
  left(match: object): number {
    return this.#kept.filter((heard) => this.#fits(heard, "requests", match)).length;
  }

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const heard = { log, entry, at: monotonicNow() };
    if (log === "deliveries") this.#kept = this.#kept.filter((kept) => kept.entry.id !== entry.id);
    this.#kept.push(heard);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    const waiter = this.#waiter;
    if (waiter === undefined || !this.#fits(heard, waiter.log, waiter.match)) return;
    waiter.found.push(heard);
    if (waiter.found.length >= waiter.count) this.#settle(waiter);
  }

  /** Takes the oldest entries that match, as soon as there are so many; fewer come back when time is up. */
  async take<L extends LogName>(log: L, match: object, { count = 1, timeoutMs }: TakeOptions) {
    const there = this.#kept.filter((heard) => this.#fits(heard, log, match));
    const found =
      there.length >= count
        ? there.slice(0, count)
        : await this.#wait({ log, match, count, isTaking: true, found: there }, timeoutMs);
    if (found.length >= count) this.#kept = this.#kept.filter((heard) => !found.includes(heard));
    return found as readonly (Heard & { readonly entry: Logs[L] })[];
  }

  /** The next entry from now on that matches; undefined when time is up. */
  async next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined> {
    const [heard] = await this.#wait({ log, match, count: 1, isTaking: false, found: [] }, timeoutMs);
    return heard?.entry as Logs[L] | undefined;
  }

  /** Ends what is waited for, as if its time were up; what is to be taken too only where that is said. */
  close({ alsoTaking = false } = {}): void {
    const waiter = this.#waiter;
    if (waiter !== undefined && (alsoTaking || !waiter.isTaking)) this.#settle(waiter);
  }

  #wait(wanted: Omit<Waiter, "resolve" | "timeout">, timeoutMs: number) {
    return new Promise<readonly Heard[]>((resolve) => {
      const timeout = later(timeoutMs, () => this.#settle(waiter));
      const waiter: Waiter = { ...wanted, resolve, timeout };
      this.#waiter = waiter;
    });
  }

  #settle(waiter: Waiter): void {
    waiter.timeout.cancel();
    this.#waiter = undefined;
    waiter.resolve(waiter.found);
  }

  #fits(heard: Heard, log: LogName, match: object): boolean {
    return heard.log === log && this.#matches(log, match, heard.entry);
  }
}
