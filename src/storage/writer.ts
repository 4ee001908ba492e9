import { chunked } from "../kernel/chunked.js";
import type { Logger } from "../kernel/errors.js";
import { hasCode, reasonOf } from "../kernel/errors.js";
import { elapsedSince, later, monotonicNow, nextTurn, sleep, soon } from "../kernel/realtime.js";
import type { ChangeLog, StoreStatus } from "../sandbox/durable.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { capture } from "./capture.js";
import type { Durability, Store } from "./port.js";
import { Vanished } from "./port.js";
import { SandboxLog } from "./sandbox-log.js";

/** How long changes are collected before they are written, ms. */
const GATHER_MS = 40;
/** The delay before the next attempt after a failure, ms. */
const RETRY_MS = 250;

/** Whether only a new base document restores everything. */
const isGone = (error: unknown): boolean => error instanceof Vanished || hasCode(error, "ENOENT");

/** Writes the changes of all sandboxes to their store, in batches. */
export class Writer {
  readonly isStrict: boolean;
  readonly #totals = { entries: 0, bytes: 0, checkpoints: 0, failures: 0, lastMs: 0 };
  readonly #store: Store;
  readonly #logger: Logger;
  onLost: (sandbox: Sandbox) => void = () => {};
  readonly #waiting = new Set<SandboxLog>();
  readonly #working = new Map<SandboxLog, Promise<void>>();
  readonly #overdue = new Set<SandboxLog>();
  /** Base documents being written while entries are appended: each resolves with the reason if it fails. */
  readonly #checkpoints = new Map<SandboxLog, Promise<string | undefined>>();
  /** Sandboxes whose next write is a base document, however long their log is. */
  readonly #wanted = new Set<SandboxLog>();
  /** The length of the log at which a failed base document is tried again, bytes. */
  readonly #notBefore = new WeakMap<SandboxLog, number>();
  /** The errors of sandboxes whose last write failed. */
  readonly #failing = new Map<SandboxLog, string>();
  /** The newest one for each id. */
  readonly #logs = new Map<string, SandboxLog>();
  #broken: string | undefined;
  /** When the next write is due: in this turn of the event loop, or later. */
  readonly #due = new Set<(start: () => void) => void>();
  protected isClosed = false;
  /** False if `close` could not save the last changes. */
  isSaved = true;

  constructor(store: Store, durability: Durability, logger: Logger) {
    this.#store = store;
    this.isStrict = durability === "strict";
    this.#logger = logger;
  }

  get status(): StoreStatus {
    const durability = this.isStrict ? "strict" : "batched";
    return { ...this.#totals, location: this.#store.location, durability, failure: this.#failure ?? null };
  }

  get #failure(): string | undefined {
    return this.#failing.values().next().value ?? this.#broken;
  }

  get isDegraded(): boolean {
    return this.#failure !== undefined;
  }

  check(): void {
    if (this.isDegraded)
      throw new PersistenceUnavailableError(
        `changes cannot be saved in ${this.#store.location}: ${this.#failure}`,
      );
  }

  logOf(sandbox: Sandbox): ChangeLog {
    const log = new SandboxLog(sandbox, this, this.#logs.get(sandbox.id));
    this.#logs.set(sandbox.id, log);
    return log;
  }

  #known(sandbox: Sandbox): SandboxLog | undefined {
    const log = this.#logs.get(sandbox.id);
    return log?.sandbox === sandbox ? log : undefined;
  }

  /**
   * Checks that the store is intact and belongs to this process; undefined if that was checked just now.
   *
   * @throws PersistenceUnavailableError
   */
  prove(mustLook: boolean): Promise<void> | undefined {
    return this.#store.prove(mustLook)?.then(
      () => {
        if (this.#broken === undefined) return;
        this.#broken = undefined;
        if (!this.isDegraded) this.#recovered();
      },
      (error: unknown) => {
        this.#broken = this.#told(error);
        if (isGone(error)) this.#replaceAll();
        this.check();
      },
    );
  }

  wake(log: SandboxLog, isUrgent: boolean): void {
    if (log.isOver) return;
    this.#waiting.add(log);
    if ((this.isStrict || log.isSlow) && isUrgent && !this.isDegraded) this.#startBy(soon);
    else this.#startBy(this.#later);
  }

  /** Writes a base document for each sandbox, in place of its log. @throws PersistenceUnavailableError */
  async checkpoint(sandboxes: Iterable<Sandbox>): Promise<void> {
    for (const sandbox of [...sandboxes]) {
      const log = this.#known(sandbox);
      if (log === undefined) continue;
      this.#wanted.add(log);
      // Waits for this sandbox only: others may never be idle.
      while (this.#wanted.has(log) && !log.isOver) {
        await this.#checkpoints.get(log);
        this.#waiting.add(log);
        this.#start();
        await (this.#working.get(log) ?? nextTurn());
        this.check();
      }
      const reason = await this.#checkpoints.get(log);
      this.check();
      if (reason !== undefined)
        throw new PersistenceUnavailableError(`the base document cannot be written: ${reason}`);
    }
  }

  /** Resolves when all changes so far are on disk. @throws PersistenceUnavailableError */
  async flush(): Promise<void> {
    await this.#flush();
    this.check();
  }

  /** Resolves when all changes so far were written or have failed. */
  async #flush(): Promise<void> {
    while (this.#waiting.size > 0 || this.#working.size > 0) {
      this.#start();
      await Promise.all(this.#working.values());
      if (this.isDegraded) return;
    }
  }

  /** Resolves when everything in one sandbox is written, however long that takes, or no longer needs to be. */
  async drain(sandbox: Sandbox): Promise<void> {
    for (;;) {
      const log = this.#known(sandbox);
      if (log === undefined) return;
      await this.#checkpoints.get(log);
      await this.#working.get(log);
      if (log.isEmpty && !this.#working.has(log) && this.#checkpoints.get(log) === undefined) return;
      if (this.isClosed) return;
      if (this.isDegraded) await sleep(RETRY_MS);
      this.#start();
    }
  }

  /** Another process holds the sandbox: nothing more of it is written. */
  lose(sandbox: Sandbox): void {
    const log = this.#known(sandbox);
    if (log === undefined) return;
    log.lost(new LeaseHeldElsewhereError(sandbox.id));
    this.#forget(log);
    this.onLost(sandbox);
  }

  #forget(log: SandboxLog): void {
    log.isOver = true;
    if (this.#known(log.sandbox) === log) this.#logs.delete(log.sandbox.id);
    for (const logs of [this.#waiting, this.#wanted, this.#failing]) logs.delete(log);
    for (const next of this.#waiting) if (next.previous === log) this.wake(next, next.isUrgent);
  }

  /** Writes what is left; what could not be written so far is tried once more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.#flush();
    await Promise.all(this.#checkpoints.values());
    await this.#flush();
    this.isSaved = [...this.#failing.keys()].every((log) => log.isEmpty);
    if (this.isSaved) return;
    const message = `the last changes could not be saved: ${this.#failure}`;
    this.#logger.error({ store: this.#store.location }, message);
  }

  #startBy(schedule: (start: () => void) => void): void {
    if (this.#due.has(schedule)) return;
    this.#due.add(schedule);
    schedule(() => {
      this.#due.delete(schedule);
      this.#start();
    });
  }

  readonly #later = (start: () => void): void =>
    void later(this.isDegraded ? RETRY_MS : GATHER_MS, start, { background: true });

  #start(): void {
    for (const log of this.#waiting) {
      if (log.previous?.isOver === false) continue;
      log.previous = undefined;
      if (this.#working.has(log)) this.#overdue.add(log);
      else this.#begin(log);
    }
  }

  #begin(log: SandboxLog): void {
    this.#waiting.delete(log);
    const work = this.#work(log)
      .catch((error: unknown) => this.#failReplacing(log, error))
      .finally(() => {
        this.#working.delete(log);
        const isOverdue = this.#overdue.delete(log);
        if (log.isEmpty) return;
        // Answers would wait for it if its changes were collected again.
        if (isOverdue && !this.isDegraded) this.#begin(log);
        else this.wake(log, log.isUrgent);
      });
    this.#working.set(log, work);
  }

  async #work(log: SandboxLog): Promise<void> {
    if (log.isRemoved) await this.#remove(log);
    else if (log.isReplaced) await this.#replace(log);
    else await this.#append(log);
  }

  async #append(log: SandboxLog): Promise<void> {
    const { sandbox } = log;
    const { id } = sandbox;
    // Both in the same turn: the document is the result of the log so far.
    const captured = !log.isRetried && this.#isCheckpointDue(log) ? capture(sandbox) : undefined;
    const text = log.take();
    const started = monotonicNow();
    try {
      if (text !== undefined) await this.#store.append(id, text);
    } catch (error) {
      this.#fail(log, error);
      if (text === undefined) log.replaced();
      else log.putBack(text);
      if (isGone(error)) log.replaced();
      return;
    }
    this.#succeed(log, text?.length ?? 0, started);
    if (captured === undefined) return;
    this.#store.rotate(id);
    log.isSlow = true;
    const checkpoint = this.#compact(log, captured).catch((error: unknown) => {
      if (error instanceof LeaseHeldElsewhereError) this.lose(log.sandbox);
      return this.#postpone(log, error);
    });
    this.#checkpoints.set(log, checkpoint);
    checkpoint.finally(() => this.#checkpoints.delete(log));
  }

  #isCheckpointDue(log: SandboxLog): boolean {
    if (this.#checkpoints.has(log)) return false;
    if (this.#wanted.delete(log)) return true;
    const { log: written, base } = this.#store.sizeOf(log.sandbox.id);
    return written > Math.max(this.#store.logBytes, base, this.#notBefore.get(log) ?? 0);
  }

  /** Writes a base document in place of everything before the last `rotate`. @throws the system error */
  async #compact(log: SandboxLog, captured: ReturnType<typeof capture>): Promise<undefined> {
    await this.#store.compact(log.sandbox.id, await chunked(captured()));
    this.#totals.checkpoints += 1;
  }

  /** The log grows without a new base document: nothing is lost, and the next attempt follows when it has doubled. */
  #postpone(log: SandboxLog, error: unknown): string {
    const { location } = this.#store;
    const { id } = log.sandbox;
    const reason = reasonOf(error);
    this.#totals.failures += 1;
    this.#notBefore.set(log, 2 * this.#store.sizeOf(id).log);
    this.#logger.warn({ err: error, store: location, sandbox: id }, `a checkpoint failed: ${reason}`);
    return reason;
  }

  /** Rewrites a sandbox as a whole. Nothing is appended meanwhile, because it would not match what is stored. */
  async #replace(log: SandboxLog): Promise<void> {
    await this.#checkpoints.get(log);
    const started = monotonicNow();
    log.takeReplaced();
    this.#wanted.delete(log);
    const captured = capture(log.sandbox);
    this.#store.rotate(log.sandbox.id);
    try {
      await this.#compact(log, captured);
    } catch (error) {
      return this.#failReplacing(log, error);
    }
    this.#succeed(log, 0, started);
  }

  #failReplacing(log: SandboxLog, error: unknown): void {
    this.#fail(log, error);
    log.replaced();
  }

  async #remove(log: SandboxLog): Promise<void> {
    await this.#checkpoints.get(log);
    log.takeRemoved();
    try {
      await this.#store.remove(log.sandbox.id);
    } catch (error) {
      this.#fail(log, error);
      log.removed();
      return;
    }
    log.written();
    this.#forget(log);
  }

  #succeed(log: SandboxLog, bytes: number, started: number): void {
    log.written(bytes > 0);
    this.#totals.entries += 1;
    this.#totals.bytes += bytes;
    this.#totals.lastMs = elapsedSince(started, 3);
    // Changes that arrived while it failed are written before more are accepted.
    if (log.isUrgent || !this.#failing.delete(log) || this.isDegraded) return;
    this.#recovered();
  }

  #recovered(): void {
    this.#logger.info({ store: this.#store.location }, "changes are saved again");
  }

  /** If the files are gone, only new base documents restore everything. */
  #replaceAll(): void {
    for (const log of this.#logs.values()) log.replaced();
  }

  #fail(log: SandboxLog, error: unknown): void {
    if (error instanceof LeaseHeldElsewhereError) return this.lose(log.sandbox);
    const reason = this.#told(error, log.sandbox.id);
    this.#failing.set(log, reason);
    log.failed(new PersistenceUnavailableError(`the change is not saved yet: ${reason}`));
  }

  #told(error: unknown, sandbox?: string): string {
    const reason = reasonOf(error);
    this.#totals.failures += 1;
    if (!this.isDegraded)
      this.#logger.error(
        { err: error, store: this.#store.location, sandbox },
        `changes cannot be saved: ${reason}; calls that change something get 503 until they can be`,
      );
    return reason;
  }
}
