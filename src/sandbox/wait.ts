import { numberOf } from "../kernel/entry-ids.js";
import { later, soon } from "../kernel/realtime.js";

/** Why a wait ended: its condition held, its time was up, its sandbox was deleted, the simulator ends, or its client went away. */
export type WaitEnd = "met" | "timeout" | "closed" | "stopping" | "dropped";

/** One wait that is open. It ends once, for whichever reason comes first. */
export class Wait<E extends { readonly id: string }> {
  readonly #matches = new Map<string, E>();
  readonly #timeout: { cancel(): void };
  readonly #onEnd: () => void;
  #resolve: (end: WaitEnd) => void = () => {};
  #open = true;
  #since: number;
  readonly ended: Promise<WaitEnd>;

  /**
   * `count` is the number of matching entries that end the wait, `timeoutMs` real time. `onEnd` is called once, at
   * the end. Only entries with a number above `since` count.
   */
  constructor(
    readonly count: number,
    timeoutMs: number,
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
    for (const entry of entries) if (numberOf(entry.id) > this.#since) this.#matches.set(entry.id, entry);
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
