import { signal } from "@preact/signals";
import type { BoundedMap } from "../lib/bounded-map";
import type { Causes } from "./causes";

/** What knows which messages came since: the session that is shown. */
export interface Witness {
  readonly causes: Causes;
  readonly heard: BoundedMap<number>;
}

/** What is said of what Undo brings back after a reset, and where the server was restarted since. */
export const RESTORED = "Undo restores everything";
const WITHOUT_LOGS =
  "Undo restores messages, clock, faults and behaviour, but not logs, sinks and pending deliveries";

/** The snapshot of a moment is gone. */
export class LostMoment extends Error {
  constructor() {
    super("Its snapshot was deleted, by hand or by another page. This point is lost.");
  }
}

/** Something that was done and can be undone. */
export interface Undoable {
  /** The sandbox in which it was done. */
  readonly sandbox: string;
  /** What was done, as a sentence without its full stop. */
  readonly text: string;
  /** When it was done, ms since 1970 of real time; set by {@link Undos}. */
  readonly at?: number;
  /** What undoing it brings back, or does not. */
  readonly lost?: string | undefined;
  /** What undoing it takes away beside, of what came since; empty for nothing. */
  readonly alsoGoes?: (witness: Witness) => string;
  /** Null where it cannot be undone; resolves with what it could not bring back. */
  readonly undo: (() => Promise<unknown>) | null;
  /** Does it once more, as something that can be undone again; left out where nothing does. */
  readonly redo?: (() => Promise<unknown>) | undefined;
}

/** Something to do that has a counterpart of its own, which throws nothing else away. */
interface Performed {
  readonly sandbox: string;
  readonly text: string;
  readonly work: () => Promise<unknown>;
  /** The same once it was undone, where that is something else. */
  readonly again?: () => Promise<unknown>;
  readonly undo: () => Promise<unknown>;
}

/** So many can be undone, one after the other. */
const MAX_KEPT = 10;

/** What this page has done that can be undone, the newest last. */
export class Undos {
  readonly #done = signal<readonly Undoable[]>([]);
  readonly #undone = signal<readonly Undoable[]>([]);
  /** What was undone when something new was done: it can be gone to from anywhere, the oldest first. */
  readonly #left = signal<readonly Undoable[]>([]);

  readonly #lists = [this.#done, this.#undone, this.#left];
  /** The names of the snapshots that this page took and has not removed. */
  readonly snapshots = new Set<string>();
  /** Whether the bar is closed, which leaves the history as it is. */
  readonly closed = signal(false);
  /** How many dialogs are open: what stands beside them cannot be reached. */
  readonly dialogs = signal(0);

  get newest(): Undoable | undefined {
    return this.#done.value.at(-1);
  }

  /** What was undone last, and nothing new was done since. */
  get undone(): Undoable | undefined {
    return this.#undone.value.at(-1);
  }

  /** What was done, undone and left, each with the oldest first. */
  get history() {
    return { done: this.#done.value, undone: this.#undone.value.toReversed(), left: this.#left.value };
  }

  /** Adds what was done; what was undone before it is left. */
  add(done: Undoable): void {
    this.#done.value = [...this.#done.peek(), { ...done, at: Date.now() }].slice(-MAX_KEPT);
    const left = [...this.#left.peek(), ...this.#undone.peek().toReversed()];
    this.#left.value = left.slice(-Math.max(1, MAX_KEPT - this.#done.peek().length));
    this.#undone.value = [];
    this.closed.value = false;
  }

  /** Does something, and adds it. */
  async perform(performed: Performed): Promise<void> {
    const { sandbox, text, work, again = work, undo } = performed;
    await work();
    this.add({ sandbox, text, undo, redo: () => this.perform({ ...performed, work: again }) });
  }

  /** Goes to a point; if its snapshot is gone, removes it from the history. */
  async #reach<T>(
    one: Undoable | undefined,
    go: (() => Promise<T>) | null | undefined,
  ): Promise<T | undefined> {
    try {
      return await go?.();
    } catch (error) {
      if (error instanceof LostMoment)
        for (const list of this.#lists) list.value = list.peek().filter((other) => other !== one);
      throw error;
    }
  }

  /** Undoes one; the one before it is the newest again. */
  async undo(done: Undoable): Promise<unknown> {
    const gone = await this.#reach(done, done.undo);
    this.#done.value = this.#done.peek().filter((one) => one !== done);
    if (done.redo !== undefined) this.#undone.value = [...this.#undone.peek(), done];
    return gone;
  }

  /** Does again what was undone last. */
  async redo(): Promise<void> {
    const [undone, left] = [this.#undone.peek(), this.#left.peek()];
    await this.#reach(undone.at(-1), undone.at(-1)?.redo);
    this.#undone.value = undone.slice(0, -1);
    this.#left.value = left;
  }

  /** Does again what was left when something else was done. */
  async restore(one: Undoable): Promise<void> {
    await this.#reach(one, one.redo);
    this.#left.value = this.#left.peek().filter((other) => other !== one);
  }

  /** Undoes or does again one after the other until so many are done. */
  async goTo(count: number): Promise<void> {
    for (
      let newest = this.newest;
      newest !== undefined && this.#done.peek().length > count;
      newest = this.newest
    ) {
      if (newest.undo === null) throw new Error(`${newest.text}: this cannot be undone.`);
      await this.undo(newest);
    }
    while (this.#done.peek().length < count && this.undone !== undefined) await this.redo();
  }

  /** The server was restarted, and has kept states without their logs. */
  forgetLogs(): void {
    this.#done.value = this.#done
      .peek()
      .map((one) => (one.lost === RESTORED ? { ...one, lost: WITHOUT_LOGS } : one));
  }

  clear(): void {
    for (const list of this.#lists) list.value = [];
  }
}
