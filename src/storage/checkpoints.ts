import { chunked } from "../kernel/chunked.js";
import type { Logger } from "../kernel/logger.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { capture } from "./capture.js";
import type { Store } from "./port.js";
import type { SandboxLog } from "./sandbox-log.js";

type Captured = ReturnType<typeof capture>;

/** What is counted of them. */
interface Totals {
  checkpoints: number;
  failures: number;
}

/** Base documents that take the place of logs. */
export class Checkpoints {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #totals: Totals;
  /** Those that are written beside what is appended meanwhile. */
  readonly #underWay = new Map<SandboxLog, Promise<string | undefined>>();
  /** From which length of the log on one that failed is tried again, bytes. */
  readonly #notBefore = new WeakMap<SandboxLog, number>();
  readonly #wanted = new Set<SandboxLog>();

  constructor(store: Store, logger: Logger, totals: Totals) {
    this.#store = store;
    this.#logger = logger;
    this.#totals = totals;
  }

  /** The next time that a sandbox is written, its log gets a new base document, however long it is. */
  want(log: SandboxLog): void {
    this.#wanted.add(log);
  }

  /** Resolves when a base document that is under way is written, or with the reason why it could not be. */
  settled(log: SandboxLog): Promise<string | undefined> | undefined {
    return this.#underWay.get(log);
  }

  allSettled(): Promise<unknown> {
    return Promise.all(this.#underWay.values());
  }

  /** Whether a log is to get a new base document now. */
  isDue(log: SandboxLog): boolean {
    if (this.#underWay.has(log)) return false;
    if (this.#wanted.delete(log)) return true;
    const { log: written, base } = this.#store.sizeOf(log.sandbox.id);
    return written > Math.max(this.#store.logBytes, base, this.#notBefore.get(log) ?? 0);
  }

  /** Begins to write a base document of what the log leads to now. `onFailure` is told of an error beside it. */
  begin(log: SandboxLog, captured: Captured, onFailure: (error: unknown) => void): void {
    this.#store.rotate(log.sandbox.id);
    const checkpoint = this.write(log, captured).then(
      () => undefined,
      (error: unknown) => {
        onFailure(error);
        return this.#postpone(log, error);
      },
    );
    this.#underWay.set(log, checkpoint);
    checkpoint.finally(() => this.#underWay.delete(log));
  }

  /** Writes a base document in place of what came before the last `rotate`. @throws the system's error */
  async write(log: SandboxLog, captured: Captured): Promise<void> {
    await this.#store.compact(log.sandbox.id, await chunked(captured()));
    this.#totals.checkpoints += 1;
  }

  /** The log grows on without a new base document: nothing is lost, and another attempt comes when it has doubled. */
  #postpone(log: SandboxLog, error: unknown): string {
    const { location } = this.#store;
    const { id } = log.sandbox;
    const reason = reasonOf(error);
    this.#totals.failures += 1;
    this.#notBefore.set(log, 2 * this.#store.sizeOf(id).log);
    this.#logger.warn({ err: error, store: location, sandbox: id }, `a checkpoint failed: ${reason}`);
    return reason;
  }
}
