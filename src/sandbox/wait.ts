import { numberOf } from "../kernel/entry-ids.js";
import { later, soon } from "../kernel/realtime.js";
import type { Logged } from "./log.js";

/** Why a wait ended: its condition held, its time was up, its sandbox was deleted or goes on in another process, the simulator ends, or its client went away. */
export type WaitEnd = "met" | "timeout" | "closed" | "moved" | "stopping" | "dropped";

/** What a wait tells whoever opened it. */
interface WaitListener<E> {
  /** An entry that it keeps from now on. */
  taken?(entry: E): void;
  /** Called once, at the end. */
  ended(): void;
}

/** One wait that is open. It ends once, for whichever reason comes first. */
export class Wait<E extends Logged> {
  readonly #matches = new Map<string, E>();
  readonly #timeout: { cancel(): void };
  readonly #listener: WaitListener<E>;
  #resolve: (end: WaitEnd) => void = () => {};
  #open = true;
  #since: number;
  /** Whether the entries that were there before it are being looked at: until then it is too early for it to be over. */
  #isLooking = false;
  #isLate = false;
  readonly ended: Promise<WaitEnd>;

  /**
   * `count` is the number of matching entries that end the wait, `timeoutMs` real time. Only entries with a number above
   * `since` count.
   */
  constructor(
    readonly count: number,
    timeoutMs: number,
    listener: WaitListener<E>,
    since = 0,
  ) {
    this.#since = since;
    this.#listener = listener;
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
      this.#listener.taken?.(entry);
    }
    if (!this.#isLooking && this.#matches.size >= this.count) this.end("met");
  }

  /** Ends neither with what it takes nor because its time is up, until `looked` is called. */
  look(): void {
    this.#isLooking = true;
  }

  /** Takes what matches of the entries that were there before it. */
  looked(entries: Iterable<E>): void {
    this.#isLooking = false;
    this.take(entries);
    if (this.#isLate) this.end("timeout");
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
    if (how === "timeout" && this.#isLooking) {
      this.#isLate = true;
      return;
    }
    this.#open = false;
    this.#timeout.cancel();
    this.#listener.ended();
    soon(() => this.#resolve(how));
  }
}
