import { signal } from "@preact/signals";

/** Something that was done and can be undone. */
export interface Undoable {
  /** The sandbox in which it was done. */
  readonly sandbox: string;
  /** What was done, as a sentence without its full stop. */
  readonly text: string;
  /** What undoing it does not bring back. */
  readonly lost?: string | undefined;
  /** Null where it cannot be undone. */
  readonly undo: (() => Promise<unknown>) | null;
}

/** So many can be undone, one after the other. */
const MAX_KEPT = 10;

/** What this page has done that can be undone, the newest last. */
export class Undos {
  readonly #done = signal<readonly Undoable[]>([]);

  /** How many dialogs are open: what stands beside them cannot be reached. */
  readonly dialogs = signal(0);

  get newest(): Undoable | undefined {
    return this.#done.value.at(-1);
  }

  add(done: Undoable): void {
    this.#done.value = [...this.#done.peek(), done].slice(-MAX_KEPT);
  }

  /** Forgets one; the one before it is the newest again. */
  drop(done: Undoable): void {
    this.#done.value = this.#done.peek().filter((one) => one !== done);
  }

  clear(): void {
    this.#done.value = [];
  }
}
