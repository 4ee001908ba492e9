import { later, soon } from "../kernel/realtime.js";

/** How a wait ended: it held, its time was up, its sandbox is gone, or nobody waits any more. */
export type WaitEnd = "met" | "timeout" | "closed" | "dropped";

/** One wait that is open. It ends once, for whichever reason comes first. */
export class Wait<E extends { readonly id: string }> {
  readonly #matches = new Map<string, E>();
  readonly #timeout: { cancel(): void };
  readonly #left: () => void;
  #resolve: (end: WaitEnd) => void = () => {};
  #open = true;
  #since: number;
  readonly ended: Promise<WaitEnd>;

  /**
   * `count`: how many matching entries end the wait; `timeoutMs`: real time; `left` is called as soon as nothing
   * more need be told to the wait; entries count whose number is above `since`.
   */
  constructor(
    readonly count: number,
    timeoutMs: number,
    left: () => void,
    since = 0,
  ) {
    this.#since = since;
    this.#left = left;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timeout = later(timeoutMs, () => this.end("timeout"), { background: true });
  }

  /** The number of the entry after which entries count; 0 for all. */
  get since(): number {
    return this.#since;
  }

  get open(): boolean {
    return this.#open;
  }

  /** The matching entries so far, oldest first. */
  matches(): E[] {
    return [...this.#matches.values()].sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** Takes matching entries; each counts once. */
  take(entries: Iterable<E>): void {
    if (!this.#open) return;
    for (const entry of entries) if (numberOf(entry) > this.#since) this.#matches.set(entry.id, entry);
    if (this.#matches.size >= this.count) this.end("met");
  }

  /** Forgets the matches: the log begins anew, ids too. */
  restart(): void {
    if (!this.#open) return;
    this.#matches.clear();
    this.#since = 0;
  }

  /** Ends the wait; who waits hears of it when the turn under way is over, so that entries are complete. */
  end(how: WaitEnd): void {
    if (!this.#open) return;
    this.#open = false;
    this.#timeout.cancel();
    this.#left();
    soon(() => this.#resolve(how));
  }
}

/** An id of a log is a letter and a number that counts up. */
const numberOf = ({ id }: { readonly id: string }): number => Number(id.slice(1));
