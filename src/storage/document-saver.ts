import { reasonOf } from "../kernel/errors.js";
import { elapsedSince, type Later, later, monotonicNow, soon } from "../kernel/realtime.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError, type Saver } from "../sandbox/saver.js";

/** How long `batched` collects changes before it writes them, ms. */
const GATHER_MS = 30;
/** The delay before the next attempt after a failure, ms. */
export const RETRY_MS = 250;
/** From one write of a longer document to the next, it takes so many times the duration of the first. */
const LARGE = 5 * 1024 * 1024;
const LARGE_SHARE = 10;
/** The same between writes that several answers wait for. */
const TOGETHER_SHARE = 1.5;

/** What the savers of a store have in common. */
export interface SaverContext {
  readonly isStrict: boolean;
  /** Writes the document of a sandbox, a few at a time, or deletes it. @returns how many bytes it had */
  write(id: string, sandbox: Sandbox | undefined): Promise<number>;
  /** @throws PersistenceUnavailableError while any document cannot be saved, or the store has another owner */
  check(): void;
  written(saver: DocumentSaver): void;
  failed(saver: DocumentSaver, reason: string, error: unknown): void;
  lost(saver: DocumentSaver): void;
}

/** Waits until so many changes are saved. */
interface Waiter {
  readonly changes: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Saves the document of one id: at most one write is in flight, and at most one waits. What is changed meanwhile is in the next
 * one. With `strict`, an answer waits for the write with its change; answers that come together share it.
 */
export class DocumentSaver implements Saver {
  changes = 0;
  /** How many of the changes are saved, and how many are, or are being written. */
  #saved = 0;
  #taken = 0;
  /** Since when there is a change that is not being written, by monotonic time, ms. */
  #since = 0;
  #due: Later | undefined;
  #writing: Promise<void> | undefined;
  #notBefore = 0;
  #waiters: Waiter[] = [];
  /** Why the last write failed; undefined if it did not. */
  failure: string | undefined;
  #lost: LeaseHeldElsewhereError | undefined;
  /** Its document was deleted: nothing follows. */
  isOver = false;

  /** `sandbox`: undefined once it is deleted. */
  constructor(
    readonly id: string,
    public sandbox: Sandbox | undefined,
    private readonly context: SaverContext,
  ) {}

  /** Whether everything is saved. */
  get isSaved(): boolean {
    return this.#lost !== undefined || this.#saved === this.changes;
  }

  changed(): void {
    if (this.isOver) return;
    if (this.changes === this.#taken) this.#since = monotonicNow();
    this.changes += 1;
    this.#plan();
  }

  removed(): void {
    this.sandbox = undefined;
    this.changed();
  }

  check(): void {
    if (this.#lost !== undefined) throw this.#lost;
    this.context.check();
  }

  settled(since = this.changes): Promise<void> | undefined {
    const { changes } = this;
    if (this.#lost === undefined && this.failure === undefined) {
      if (this.#saved === changes) return undefined;
      if (this.context.isStrict) return this.#written(changes);
    }
    // Nobody promises to keep what another process may have replaced, or what cannot be written now.
    if (since === changes && this.#lost === undefined) return undefined;
    try {
      this.check();
      return undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Writes what is not saved, now. Resolves when that is done, whether it succeeded or not. */
  async flush(): Promise<void> {
    if (this.isSaved) return;
    // That write may have begun before the last changes; the next one has them.
    await this.#writing;
    if (this.isSaved) return;
    if (this.#writing === undefined) this.#start();
    await this.#writing;
  }

  /** Another process holds the sandbox: nothing more is written. */
  lose(): void {
    this.#lost ??= new LeaseHeldElsewhereError(this.id);
    this.#due?.cancel();
    this.#reject(this.#lost);
    this.context.lost(this);
  }

  #written(changes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ changes, resolve, reject });
    });
  }

  /** Plans the next write, unless there is one. */
  #plan(): void {
    if (this.#due !== undefined || this.#writing !== undefined || this.#lost !== undefined) return;
    const start = () => {
      this.#due = undefined;
      if (this.#writing === undefined) this.#start();
    };
    const at = Math.max(this.context.isStrict ? 0 : this.#since + GATHER_MS, this.#notBefore);
    const ms = this.failure === undefined ? Math.max(0, at - monotonicNow()) : RETRY_MS;
    if (ms === 0) {
      this.#due = { cancel: () => {} };
      return soon(start);
    }
    this.#due = later(ms, start, { background: true });
  }

  #start(): void {
    if (this.#lost !== undefined) return;
    this.#due?.cancel();
    this.#due = undefined;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#saved < this.changes) this.#plan();
    });
  }

  async #write(): Promise<void> {
    const { changes, context } = this;
    this.#taken = changes;
    const began = monotonicNow();
    try {
      const bytes = await context.write(this.id, this.sandbox);
      const ms = elapsedSince(began, 3);
      this.#saved = changes;
      this.failure = undefined;
      this.isOver = this.sandbox === undefined && changes === this.changes;
      context.written(this);
      const done = this.#waiters.filter((waiter) => waiter.changes <= changes);
      this.#waiters = this.#waiters.filter((waiter) => waiter.changes > changes);
      // Those who were answered together call again together, and share the next write if it waits for all of them.
      if (done.length > 1) this.#notBefore = began + ms * TOGETHER_SHARE;
      else this.#notBefore = bytes > LARGE && !context.isStrict ? began + ms * LARGE_SHARE : 0;
      for (const { resolve } of done) resolve();
    } catch (error) {
      if (error instanceof LeaseHeldElsewhereError) return this.lose();
      this.failure = reasonOf(error);
      context.failed(this, this.failure, error);
      this.#reject(new PersistenceUnavailableError(`the change is not saved yet: ${this.failure}`));
    }
  }

  #reject(reason: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }
}
