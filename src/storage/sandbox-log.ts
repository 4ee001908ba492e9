import { monotonicNow } from "../kernel/realtime.js";
import type { ChangeLog, Milestone, PartName } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";

interface LogWriter {
  /** An answer waits until its change is on the disk. */
  readonly isStrict: boolean;
  /** Changes cannot be written now: nobody waits for it. */
  readonly isDegraded: boolean;
  /** @throws PersistenceUnavailableError while changes cannot be written */
  check(): void;
  /** Proves that they can; undefined where that was seen just now. @throws PersistenceUnavailableError */
  prove(mustLook: boolean): Promise<void> | undefined;
  /** There is something to write; `isUrgent`: an answer may wait for it. */
  wake(log: SandboxLog, isUrgent: boolean): void;
}

/** Answers wait as soon as changes that others were told of are not written for so long, ms. */
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
    // Whoever waits is told; where nobody does, nobody need be.
    this.promise.catch(() => {});
  }
}

/** What of a sandbox is to be written: values that have changed, by part and key, and what happened to the sandbox as a whole. */
export class SandboxLog implements ChangeLog {
  readonly sandbox: Sandbox;
  changes = 0;
  readonly #writer: LogWriter;
  /** With the values that are known; the others are looked up when they are written. */
  readonly #dirty = new Map<PartName, Map<string, object | null | undefined>>();
  #earlier: string[] = [];
  /** Whether a change waits that somebody may be told of. */
  isUrgent = false;
  /** Since when, ms of monotonic time. */
  #since = 0;
  /** Since when the oldest change has waited that is being written. */
  #takenSince = 0;
  /** What is written next begins a log or a document, and may take long: it is written at once, and answers wait for it. */
  isSlow = true;
  isReplaced = false;
  isRemoved = false;
  /** What was taken and may not be written: it is tried again as it was, since nobody knows whether it is there. */
  #retried: string | undefined;
  #lost: Error | undefined;
  /** What is waited for: that all is written that waits now, and that is written that is under way. */
  #next: Gate | undefined;
  #current: Gate | undefined;

  constructor(sandbox: Sandbox, writer: LogWriter) {
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

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  changed(part: PartName, key: string, value?: object | null): void {
    this.#mark(part, key, value);
    this.#urge();
  }

  counted(part: PartName, key: string): void {
    // Nearly every call counts something: where it is dirty the writer knows.
    if (this.#dirty.get(part)?.has(key) === true) return;
    this.#mark(part, key);
    this.#writer.wake(this, false);
  }

  milestone(milestone: Milestone): void {
    // What a reset takes away need not be written any more.
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
    // A process that stood still for a while may have lost what it is about to acknowledge.
    if (!this.#mustWait && monotonicNow() - this.#oldest < MAX_UNWRITTEN_MS) return this.proven(since);
    if (this.isUrgent) this.#next ??= new Gate();
    const gate = this.isUrgent ? this.#next : this.#current;
    return gate?.promise.then(() => this.proven(since));
  }

  proven(since: number): Promise<void> | undefined {
    // What is on the disk before the answer stays there, whoever has the sandbox then.
    if (this.#writer.isStrict || since === this.changes) return undefined;
    return this.#writer.prove(false);
  }

  async #refused(): Promise<void> {
    this.#writer.check();
  }

  /** The text of all that is to be written, which counts as written from now on; undefined where there is nothing. */
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

  /** The base document is written instead, with everything that has changed. */
  takeReplaced(): void {
    this.#dirty.clear();
    this.#earlier = [];
    this.#retried = undefined;
    this.isReplaced = false;
    this.isSlow = true;
    this.#begin();
  }

  /** Nothing of it is to be written any more, but that it is gone. */
  takeRemoved(): void {
    this.takeReplaced();
    this.isRemoved = false;
  }

  /** What was taken is written; `isEntry`: to the end of a log that goes on. */
  written(isEntry = false): void {
    if (isEntry) this.isSlow = false;
    this.#current?.open();
    this.#current = undefined;
  }

  /** What was taken may not be written: it comes before what has changed since. */
  putBack(taken: string): void {
    this.#retried = taken;
    this.#urge();
  }

  /** Another process has the sandbox by now: nothing of it is written any more, and whoever waits is told. */
  lost(reason: Error): void {
    this.#lost = reason;
    this.failed(reason);
  }

  /** What was taken is not written; whoever waits is told. */
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

  /** Whoever waits for what has changed since goes on waiting. */
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
    // The writer has been told, and has not begun with it.
    if (this.isUrgent) return;
    this.#since = monotonicNow();
    this.isUrgent = true;
    this.#writer.wake(this, true);
  }

  /** What is dirty, as it stands now; nothing is any more. */
  #takeValues(): unknown[] {
    const { parts } = this.sandbox.run;
    // With the machine's time, behind which no start begins.
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
