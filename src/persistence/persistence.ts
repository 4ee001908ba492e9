import type { Logger } from "../kernel/logger.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { inSlices } from "../kernel/slices.js";
import type { ChangeLog, StoreStatus } from "../sandbox/durable.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import { DEFAULT_SANDBOX } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { FolderStore } from "../store/folder-store.js";
import type { Durability, Store, Stored } from "../store/port.js";
import { SectionChecker } from "./base-document.js";
import { formatOf, isOutdated } from "./format.js";
import type { ResumeContext } from "./resume.js";
import { resumeInSteps } from "./resume.js";
import { SandboxLog } from "./sandbox-log.js";
import { FORMAT } from "./upgrades.js";
import { Writer } from "./writer.js";

/** `default` first, as where sandboxes are made. */
const byName = (a: string, b: string): number =>
  Number(b === DEFAULT_SANDBOX) - Number(a === DEFAULT_SANDBOX) || (a < b ? -1 : 1);

/**
 * Keeps the sandboxes of a simulator beyond its process (contract section 11).
 *
 * @example
 * const persistence = await Persistence.open("data", "batched", logger);
 * const kept = await persistence.load({ loader, checker, journalLimit: 10_000 });
 * const registry = new SandboxRegistry(defaults, memory, outbox, report, (sandbox) => persistence.logOf(sandbox), kept);
 * await persistence.flush(); // sandboxes that are new are on the disk
 */
export class Persistence {
  readonly #store: Store;
  readonly #durability: Durability;
  readonly #writer: Writer;
  readonly #logger: Logger;
  /** The ids of what is kept in an older format. */
  readonly #outdated = new Set<string>();
  readonly #logs = new WeakMap<Sandbox, SandboxLog>();

  private constructor(store: Store, durability: Durability, logger: Logger) {
    this.#store = store;
    this.#durability = durability;
    this.#logger = logger;
    this.#writer = new Writer(store, durability, logger);
  }

  /** @throws UnusableDocument where the place cannot be used; the system's error */
  static async open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    const store = await FolderStore.open(path, durability, (message, where) => logger.warn(where, message));
    return new Persistence(store, durability, logger);
  }

  /** The sandboxes that are kept. @throws UnusableDocument with every damaged one */
  async load(context: ResumeContext): Promise<KeptSandbox[]> {
    const kept: KeptSandbox[] = [];
    const problems: Problem[] = [];
    const sections = new SectionChecker();
    for (const id of (await this.#store.list()).toSorted(byName)) {
      try {
        const stored = await this.#store.open(id);
        if (isOutdated(stored.base)) await this.#keepOutdated(id, stored);
        const sandbox = await inSlices(resumeInSteps(stored, context, sections));
        if (sandbox.options.id === id) kept.push(sandbox);
        else
          problems.push(
            problemAt([id], `is the document of the sandbox "${sandbox.options.id}" under another name`),
          );
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error;
        problems.push(...error.problems);
      }
    }
    if (problems.length > 0) throw new UnusableDocument(problems);
    return kept;
  }

  /** Before a document of an older format is replaced by one of the format of now, all of it is kept as it was. */
  async #keepOutdated(id: string, { base, name }: Stored): Promise<void> {
    const copy = await this.#store.copy(id, `format-${formatOf(base)}`);
    this.#outdated.add(id);
    this.#logger.info(
      { document: name, copy },
      `upgraded to format ${FORMAT}; it stays as it was in ${copy}`,
    );
  }

  /** What a sandbox tells its changes to. */
  logOf(sandbox: Sandbox): ChangeLog {
    const log = new SandboxLog(sandbox, this.#writer);
    this.#logs.set(sandbox, log);
    if (this.#outdated.delete(sandbox.id)) log.replaced();
    return log;
  }

  get status(): StoreStatus {
    const { totals, failure = null } = this.#writer;
    return { ...totals, location: this.#store.location, durability: this.#durability, failure };
  }

  /** Resolves when everything so far is on the disk. @throws NotKept */
  async flush(): Promise<void> {
    await this.#writer.flush();
    this.#writer.check();
  }

  /** Writes base documents in place of logs. @throws NotKept */
  async checkpoint(sandboxes: Iterable<Sandbox>): Promise<void> {
    const logs = [...sandboxes].map((sandbox) => this.#logs.get(sandbox)).filter((log) => log !== undefined);
    await this.#writer.checkpoint(logs);
  }

  /** Writes what is left, and lets others use the store. */
  async close(): Promise<void> {
    await this.#writer.close();
    await this.#store.close();
  }
}
