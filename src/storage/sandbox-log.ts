import { monotonicNow } from "../kernel/realtime.js";
import type { ChangeLog, Milestone, PartName } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";

interface LogWriter {
  /** Whether an answer waits until its change is on disk. */
  readonly isStrict: boolean;
  /** Changes cannot be written now, and nothing waits for it. */
  readonly isDegraded: boolean;
  /** @throws PersistenceUnavailableError while changes cannot be written */
  check(): void;
  /** Checks that they can be written; undefined if that was checked just now. @throws PersistenceUnavailableError */
  prove(mustLook: boolean): Promise<void> | undefined;
  /** There is something to write; `isUrgent`: an answer may be waiting for it. */
  wake(log: SandboxLog, isUrgent: boolean): void;
}

/** Answers start to wait when changes that were already reported have been unwritten for this long, ms. */
const MAX_UNWRITTEN_MS = 70;

class Gate {
  readonly promise: Promise<void>;
  open!: () => void;
  fail!: (reason: Error) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.open = resolve;
      this.fail = reject;
    });
    // Waiters get the error; without any, it must not become an unhandled rejection.
    this.promise.catch(() => {});
  }
}

/** The unwritten changes of a sandbox: changed values, by part and key, and what happened to the sandbox as a whole. */
export class SandboxLog implements ChangeLog {
  readonly sandbox: Sandbox;
  changes = 0;
  readonly #writer: LogWriter;
  /** With known values; the others are looked up when they are written. */
  readonly #dirty = new Map<PartName, Map<string, object | null | undefined>>();
  #earlier: string[] = [];
  /** Whether an unwritten change may already be reported. */
  isUrgent = false;
  /** Since when, ms of monotonic time. */
  #since = 0;
  /** Since when the oldest change that is being written has been waiting. */
  #takenSince = 0;
  /** The next write starts a log or a document, and may take long: it is done at once, and answers wait for it. */
  isSlow = true;
  isReplaced = false;
  isRemoved = false;
  /** Nothing more is written: the sandbox was deleted, or another process holds it. */
  isOver = false;
  /** A write that may have failed: it is repeated unchanged, since it may have arrived. */
  #retried: string | undefined;
  #lost: Error | undefined;
  /** Promises for waiters: that everything pending is written, and that the current write is done. */
  #next: Gate | undefined;
  #current: Gate | undefined;

  /** `previous`: that of a sandbox with the same id, which has to be deleted first. */
  constructor(
    sandbox: Sandbox,
    writer: LogWriter,
    public previous?: SandboxLog,
  ) {
    this.sandbox = sandbox;
    this.#writer = writer;
  }

  get isEmpty(): boolean {
    const isNothing = this.#dirty.size === 0 && this.#earlier.length === 0 && this.#retried === undefined;
    return this.#lost !== undefined || (isNothing && !this.isReplaced && !this.isRemoved);
  }

  get isRetried(): boolean {
    return this.#retried !== undefined;
  }

  changed(part: PartName, key: string, value?: object | null): void {
    this.#mark(part, key, value);
    this.#urge();
  }

  counted(part: PartName, key: string): void {
    // Nearly every call counts something: if it is already dirty, the writer knows.
    if (this.#dirty.get(part)?.has(key) === true) return;
    this.#mark(part, key);
    this.#writer.wake(this, false);
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
    this.#writer.check();
  }

  settled(since = this.changes): Promise<void> | undefined {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#writer.isDegraded) return since === this.changes ? undefined : this.#refused();
    if (!this.isUrgent && this.#current === undefined) return undefined;
    // A process that was suspended for a while may have lost the sandbox that it is about to acknowledge.
    if (!this.#mustWait && monotonicNow() - this.#oldest < MAX_UNWRITTEN_MS) return this.proven(since);
    if (this.isUrgent) this.#next ??= new Gate();
    const gate = this.isUrgent ? this.#next : this.#current;
    return gate?.promise.then(() => this.proven(since));
  }

  proven(since: number): Promise<void> | undefined {
    // What is on disk before the answer stays there, whoever owns the sandbox then.
    if (this.#writer.isStrict || since === this.changes) return undefined;
    return this.#writer.prove(false);
  }

  async #refused(): Promise<void> {
    this.#writer.check();
  }

  /** The text of everything to be written, which counts as written from now on; undefined if there is nothing. */
  take(): string | undefined {
    if (this.#retried !== undefined) return this.#takeAgain(this.#retried);
    const values = this.#dirty.size === 0 ? undefined : JSON.stringify(this.#takeValues());
    const earlier = this.#earlier;
    this.#earlier = [];
    this.#begin();
    if (earlier.length === 0) return values;
    if (values !== undefined) earlier.push(values.slice(1, -1));
    return `[${earlier.join(",")}]`;
  }

  /** A base document is written instead, with all changes. */
  takeReplaced(): void {
    this.#dirty.clear();
    this.#earlier = [];
    this.#retried = undefined;
    this.isReplaced = false;
    this.isSlow = true;
    this.#begin();
  }

  /** Nothing more is written, except that the sandbox is deleted. */
  takeRemoved(): void {
    this.takeReplaced();
    this.isRemoved = false;
  }

  /** The current write succeeded; `isEntry`: it was appended to a log that continues. */
  written(isEntry = false): void {
    if (isEntry) this.isSlow = false;
    this.#current?.open();
    this.#current = undefined;
  }

  /** The current write may have failed: it comes before later changes. */
  putBack(taken: string): void {
    this.#retried = taken;
    this.#urge();
  }

  /** Another process holds the sandbox: nothing more is written, and waiters get an error. */
  lost(reason: Error): void {
    this.#lost = reason;
    this.failed(reason);
  }

  /** The current write failed; waiters get an error. */
  failed(reason: Error): void {
    for (const gate of [this.#current, this.#next]) gate?.fail(reason);
    this.#current = undefined;
    this.#next = undefined;
  }

  get #mustWait(): boolean {
    return this.#writer.isStrict || this.isReplaced || this.isRemoved || this.isSlow;
  }

  get #oldest(): number {
    return this.#current === undefined ? this.#since : this.#takenSince;
  }

  /** Waiters for later changes keep waiting. */
  #takeAgain(text: string): string {
    this.#retried = undefined;
    this.#takenSince = monotonicNow();
    this.#current = new Gate();
    if (this.isEmpty) this.isUrgent = false;
    return text;
  }

  #begin(): void {
    this.#takenSince = this.isUrgent ? this.#since : monotonicNow();
    this.isUrgent = false;
    this.#current = this.#next ?? new Gate();
    this.#next = undefined;
  }

  #mark(part: PartName, key: string, value?: object | null): void {
    const values = this.#dirty.get(part);
    if (values === undefined) this.#dirty.set(part, new Map([[key, value]]));
    else values.set(key, value);
  }

  #urge(): void {
    this.changes += 1;
    // The writer was notified, but has not started.
    if (this.isUrgent) return;
    this.#since = monotonicNow();
    this.isUrgent = true;
    this.#writer.wake(this, true);
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
