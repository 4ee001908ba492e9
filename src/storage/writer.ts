import { hasCode, type Logger, reasonOf } from "../kernel/errors.js";
import { chunked, elapsedSince, later, monotonicNow, nextTurn, sleep, soon } from "../kernel/realtime.js";
import type { ChangeLog, StoreStatus } from "../sandbox/durable.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { capture } from "./capture.js";
import { type Durability, type Store, Vanished } from "./port.js";
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
  onLost: (sandbox: Sandbox) => void = () => {};
  readonly #waiting = new Set<SandboxLog>();
  readonly #working = new Set<SandboxLog>();
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

  constructor(
    protected readonly store: Store,
    private readonly durability: Durability,
    protected readonly logger: Logger,
  ) {
    this.isStrict = durability === "strict";
  }

  get status(): StoreStatus {
    const { durability, store } = this;
    return { ...this.#totals, location: store.location, durability, failure: this.#failure ?? null };
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
        `changes cannot be saved in ${this.store.location}: ${this.#failure}`,
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
    return this.store.prove(mustLook)?.then(
      () => {
        if (this.#broken === undefined) return;
        this.#broken = undefined;
        if (!this.isDegraded) this.#recovered();
      },
      (error: unknown) => {
        this.#broken = this.#told(error);
        if (isGone(error)) for (const log of this.#logs.values()) log.replaced();
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

  /** Writes a base document for each sandbox, in place of its log. @throws PersistenceUnavailableError */
  async checkpoint(sandboxes: Iterable<Sandbox>): Promise<void> {
    for (const sandbox of [...sandboxes]) {
      const log = this.#known(sandbox);
      if (log === undefined) continue;
      log.isCheckpointWanted = true;
      // Waits for this sandbox only: others may never be idle.
      while (log.isCheckpointWanted && !log.isOver) {
        await log.checkpoint;
        await this.#writeNow(log);
        this.check();
      }
      const reason = await log.checkpoint;
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
      await Promise.all([...this.#working].map(({ work }) => work));
      if (this.isDegraded) return;
    }
  }

  /** Resolves when everything in one sandbox is written, however long that takes, or no longer needs to be. */
  async drain(sandbox: Sandbox): Promise<void> {
    const log = this.#known(sandbox);
    while (log !== undefined && !log.isOver && !this.isClosed) {
      await log.checkpoint;
      await log.work;
      if (log.isEmpty && log.work === undefined && log.checkpoint === undefined) return;
      if (this.isDegraded) await sleep(RETRY_MS);
      await this.#writeNow(log);
    }
  }

  async #writeNow(log: SandboxLog): Promise<void> {
    this.#waiting.add(log);
    this.#start();
    await (log.work ?? nextTurn());
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
    this.#waiting.delete(log);
    this.#failing.delete(log);
    for (const next of this.#waiting) if (next.previous === log) this.wake(next, next.isUrgent);
  }

  /** Writes what is left; what could not be written so far is tried once more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.#flush();
    await Promise.all([...this.#logs.values()].map(({ checkpoint }) => checkpoint));
    await this.#flush();
    this.isSaved = [...this.#failing.keys()].every((log) => log.isEmpty);
    if (this.isSaved) return;
    const message = `the last changes could not be saved: ${this.#failure}`;
    this.logger.error({ store: this.store.location }, message);
  }

  #start(): void {
    for (const log of this.#waiting) {
      if (log.previous?.isOver === false) continue;
      log.previous = undefined;
      if (log.work === undefined) this.#begin(log);
      else log.isOverdue = true;
    }
  }

  #begin(log: SandboxLog): void {
    this.#waiting.delete(log);
    this.#working.add(log);
    log.isOverdue = false;
    log.work = this.#write(log).finally(() => {
      this.#working.delete(log);
      log.work = undefined;
      if (log.isEmpty) return;
      // Answers would wait for it if its changes were collected again.
      if (log.isOverdue && !this.isDegraded) this.#begin(log);
      else this.wake(log, log.isUrgent);
    });
  }

  async #write(log: SandboxLog): Promise<void> {
    const { id } = log.sandbox;
    // What is appended meanwhile would not match what is stored.
    if (log.isRemoved || log.isReplaced) await log.checkpoint;
    const isDue = this.#isCheckpointDue(log);
    const { kind, text } = log.take();
    const started = monotonicNow();
    try {
      if (kind === "removal") {
        await this.store.remove(id);
        log.written();
        return this.#forget(log);
      }
      // In the same turn as `take`: the document is the result of the log so far.
      const document = kind === "document" || isDue ? capture(log.sandbox) : undefined;
      if (text !== undefined) await this.store.append(id, text);
      if (document !== undefined) {
        log.isCheckpointWanted = false;
        this.store.rotate(id);
        if (kind === "document") await this.#compact(log, document);
        else log.checkpoint = this.#checkpoint(log, document);
      }
      log.written(text !== undefined);
      if (document !== undefined) log.isSlow = true;
      this.#succeed(log, text?.length ?? 0, started);
    } catch (error) {
      this.#fail(log, error);
    }
  }

  #isCheckpointDue(log: SandboxLog): boolean {
    if (log.checkpoint !== undefined || log.isRetried) return false;
    const { log: written, base } = this.store.sizeOf(log.sandbox.id);
    return log.isCheckpointWanted || written > Math.max(this.store.logBytes, base, log.notBefore);
  }

  /** Writes a base document in place of everything before the last `rotate`. @throws the system error */
  async #compact(log: SandboxLog, captured: ReturnType<typeof capture>): Promise<void> {
    await this.store.compact(log.sandbox.id, await chunked(captured()));
    this.#totals.checkpoints += 1;
  }

  /**
   * The same, while entries are appended. If it fails, the log grows without a new base document: nothing is lost, and the next
   * attempt follows when it has doubled.
   */
  async #checkpoint(log: SandboxLog, captured: ReturnType<typeof capture>): Promise<string | undefined> {
    const { id } = log.sandbox;
    try {
      await this.#compact(log, captured);
      return undefined;
    } catch (error) {
      if (error instanceof LeaseHeldElsewhereError) this.lose(log.sandbox);
      const reason = reasonOf(error);
      this.#totals.failures += 1;
      log.notBefore = 2 * this.store.sizeOf(id).log;
      const where = { err: error, store: this.store.location, sandbox: id };
      this.logger.warn(where, `a checkpoint failed: ${reason}`);
      return reason;
    } finally {
      log.checkpoint = undefined;
    }
  }

  #succeed(log: SandboxLog, bytes: number, started: number): void {
    this.#totals.entries += 1;
    this.#totals.bytes += bytes;
    this.#totals.lastMs = elapsedSince(started, 3);
    // Changes that arrived while it failed are written before more are accepted.
    if (log.isUrgent || !this.#failing.delete(log) || this.isDegraded) return;
    this.#recovered();
  }

  #recovered(): void {
    this.logger.info({ store: this.store.location }, "changes are saved again");
  }

  #fail(log: SandboxLog, error: unknown): void {
    if (error instanceof LeaseHeldElsewhereError) return this.lose(log.sandbox);
    const reason = this.#told(error, log.sandbox.id);
    this.#failing.set(log, reason);
    log.failed(new PersistenceUnavailableError(`the change is not saved yet: ${reason}`), isGone(error));
  }

  #told(error: unknown, sandbox?: string): string {
    const reason = reasonOf(error);
    this.#totals.failures += 1;
    if (!this.isDegraded)
      this.logger.error(
        { err: error, store: this.store.location, sandbox },
        `changes cannot be saved: ${reason}; calls that change something get 503 until then`,
      );
    return reason;
  }
}
