import { monotonicNow } from "../kernel/realtime.js";
import type { ChangeLog, Milestone, PartName } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";

interface LogWriter {
  /** Whether an answer waits until its change is on disk. */
  readonly isStrict: boolean;
  /** Changes cannot be written now, and nothing waits for it. */
  readonly isDegraded: boolean;
  check(): void;
  prove(mustLook: boolean): Promise<void> | undefined;
  /** There is something to write; `isUrgent`: an answer may be waiting for it. */
  wake(log: SandboxLog, isUrgent: boolean): void;
}

/** Answers start to wait when changes that were already reported have been unwritten for this long, ms. */
const MAX_UNWRITTEN_MS = 70;

/** Waits until so many changes are written. */
interface Waiter {
  readonly changes: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** What is written next: an entry of the log, if there is anything to write, the whole sandbox, or its deletion. */
interface Writing {
  readonly kind: "entry" | "document" | "removal";
  readonly text?: string;
}

/** The unwritten changes of a sandbox: changed values, by part and key, and what happened to the sandbox as a whole. */
export class SandboxLog implements ChangeLog {
  changes = 0;
  /** How many of the changes are written, or being written. */
  #taken = 0;
  #written = 0;
  readonly #waiters = new Set<Waiter>();
  /** With known values; the others are looked up when they are written. */
  readonly #dirty = new Map<PartName, Map<string, object | null | undefined>>();
  #earlier: string[] = [];
  /** Since when there have been changes that nobody writes yet, and changes that are being written, ms of monotonic time. */
  #since = 0;
  #takenSince = 0;
  /** The next write starts a log or a document, and may take long: it is done at once, and answers wait for it. */
  isSlow = true;
  isReplaced = false;
  isRemoved = false;
  /** Nothing more is written: the sandbox was deleted, or another process holds it. */
  isOver = false;
  #writing: Writing | undefined;
  /** An entry that may have been written: it is repeated unchanged. */
  #retried: Writing | undefined;
  #lost: Error | undefined;

  // The writer's own:
  work: Promise<void> | undefined;
  /** It had to be written again while it was being written. */
  isOverdue = false;
  /** A base document that is being written while entries are appended: resolves with the reason if it fails. */
  checkpoint: Promise<string | undefined> | undefined;
  /** The next write is a base document, however long the log is. */
  isCheckpointWanted = false;
  /** The length of the log at which a failed base document is tried again, bytes. */
  notBefore = 0;

  /** `previous`: that of a sandbox with the same id, which has to be deleted first. */
  constructor(
    readonly sandbox: Sandbox,
    private readonly writer: LogWriter,
    public previous?: SandboxLog,
  ) {}

  get isEmpty(): boolean {
    const isNothing = this.#dirty.size === 0 && this.#earlier.length === 0 && this.#retried === undefined;
    return this.#lost !== undefined || (isNothing && !this.isReplaced && !this.isRemoved);
  }

  get isRetried(): boolean {
    return this.#retried !== undefined;
  }

  /** Whether a change that nobody writes yet may already be reported. */
  get isUrgent(): boolean {
    return this.changes > this.#taken;
  }

  changed(part: PartName, key: string, value?: object | null): void {
    this.#mark(part, key, value);
    this.#urge();
  }

  counted(part: PartName, key: string): void {
    // Nearly every call counts something: if it is already dirty, the writer knows.
    if (this.#dirty.get(part)?.has(key) === true) return;
    this.#mark(part, key);
    this.writer.wake(this, false);
  }

  milestone(milestone: Milestone): void {
    // What a reset removes need not be written.
    if (milestone[0] === "reset") this.#dirty.clear();
    else if (this.#dirty.size > 0) this.#earlier.push(JSON.stringify(this.#takeValues()).slice(1, -1));
    this.#earlier.push(JSON.stringify(milestone));
    this.#urge();
  }

  replaced(): void {
    this.isReplaced = true;
    this.#urge();
  }

  removed(): void {
    this.isRemoved = true;
    this.#urge();
  }

  check(): void {
    if (this.#lost !== undefined) throw this.#lost;
    this.writer.check();
  }

  settled(since = this.changes): Promise<void> | undefined {
    const { writer, changes } = this;
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (writer.isDegraded) return since === changes ? undefined : this.#refused();
    if (this.#written === changes) return undefined;
    const oldest = this.#written === this.#taken ? this.#since : this.#takenSince;
    const mustWait = writer.isStrict || this.isReplaced || this.isRemoved || this.isSlow;
    // A process that was suspended for a while may have lost the sandbox that it is about to acknowledge.
    if (!mustWait && monotonicNow() - oldest < MAX_UNWRITTEN_MS) return this.proven(since);
    const written = new Promise<void>((resolve, reject) => {
      this.#waiters.add({ changes, resolve, reject });
    });
    return written.then(() => this.proven(since));
  }

  proven(since: number): Promise<void> | undefined {
    // What is on disk before the answer stays there, whoever owns the sandbox then.
    if (this.writer.isStrict || since === this.changes) return undefined;
    return this.writer.prove(false);
  }

  async #refused(): Promise<void> {
    this.writer.check();
  }

  /** What is to be written now; then `written` or `failed` must be called. */
  take(): Writing {
    const isWhole = this.isRemoved || this.isReplaced;
    if (isWhole || this.#retried === undefined) {
      this.#takenSince = this.isUrgent ? this.#since : monotonicNow();
      this.#taken = this.changes;
      this.#writing = isWhole ? this.#takeWhole() : this.#takeEntry();
    } else this.#writing = this.#retried;
    this.#retried = undefined;
    return this.#writing;
  }

  #takeWhole(): Writing {
    const kind = this.isRemoved ? "removal" : "document";
    this.#dirty.clear();
    this.#earlier = [];
    this.isReplaced = false;
    this.isRemoved = false;
    this.isSlow = true;
    return { kind };
  }

  #takeEntry(): Writing {
    if (this.#dirty.size > 0) this.#earlier.push(JSON.stringify(this.#takeValues()).slice(1, -1));
    if (this.#earlier.length === 0) return { kind: "entry" };
    return { kind: "entry", text: `[${this.#earlier.splice(0).join(",")}]` };
  }

  /** What was taken is written; `isEntry`: it was appended to a log that continues. */
  written(isEntry = false): void {
    if (isEntry) this.isSlow = false;
    this.#written = this.#taken;
    this.#writing = undefined;
    for (const waiter of this.#waiters) {
      if (waiter.changes > this.#written) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** What was taken may not be written, and is written again; `isGone`: as a whole. Waiters get an error. */
  failed(reason: Error, isGone = false): void {
    const { kind, text } = this.#writing ?? {};
    if (kind === "removal") this.isRemoved = true;
    else if (kind === "document" || isGone) this.isReplaced = true;
    else if (text !== undefined) this.#retried = this.#writing;
    this.#writing = undefined;
    for (const { reject } of this.#waiters) reject(reason);
    this.#waiters.clear();
  }

  /** Another process holds the sandbox: nothing more is written, and waiters get an error. */
  lost(reason: Error): void {
    this.#lost = reason;
    this.failed(reason);
  }

  #mark(part: PartName, key: string, value?: object | null): void {
    const values = this.#dirty.get(part);
    if (values === undefined) this.#dirty.set(part, new Map([[key, value]]));
    else values.set(key, value);
  }

  #urge(): void {
    const wasUrgent = this.isUrgent;
    this.changes += 1;
    // The writer was notified, but has not started.
    if (wasUrgent) return;
    this.#since = monotonicNow();
    this.writer.wake(this, true);
  }

  /** Takes all dirty values as they are now; nothing is dirty afterwards. */
  #takeValues(): unknown[] {
    const { parts } = this.sandbox.run;
    // With the machine's time: no later start goes back before it.
    if (parts.run !== undefined) this.#mark("run", "clock");
    const changes: unknown[] = [];
    for (const [part, values] of this.#dirty) {
      for (const [key, known] of values) {
        const value = known ?? parts[part].get(key);
        changes.push(value === undefined ? [part, key] : [part, key, value]);
      }
    }
    this.#dirty.clear();
    return changes;
  }
}
