import { chunked } from "../kernel/chunked.js";
import type { Logger } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import type { Later } from "../kernel/realtime.js";
import { later, wallNow } from "../kernel/realtime.js";
import type { ChangeLog, StoreStatus } from "../sandbox/durable.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import { byName } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { FORMAT, formatOf, isOutdated, SectionChecker } from "./base-document.js";
import { FolderStore } from "./folder-store.js";
import type { Leases } from "./leases.js";
import { withStoreErrors } from "./leases.js";
import type { Durability, Store, Stored } from "./port.js";
import { ADDRESS, SERVER_ADDRESS } from "./port.js";
import type { ResumeContext } from "./resume.js";
import { resumeInSteps } from "./resume.js";
import { SandboxLog } from "./sandbox-log.js";
import { Writer } from "./writer.js";

/** So often a look is taken whether the folder is there, ms. */
const WATCH_MS = 500;

/**
 * Keeps the sandboxes of a simulator beyond its process.
 *
 * @example
 * const persistence = await Persistence.open("data", "batched", logger);
 * const kept = await persistence.load({ loader, checker, journalLimit: 10_000 });
 * const registry = new SandboxRegistry(defaults, memory, outbox, report, (sandbox) => persistence.logOf(sandbox), kept);
 * await persistence.flush(); // sandboxes that are new are on the disk
 */
export class Persistence {
  /** Which process has which sandbox; undefined where this one has all. */
  readonly leases: Leases | undefined;
  readonly #store: Store;
  readonly #durability: Durability;
  readonly #writer: Writer;
  readonly #logger: Logger;
  /** The ids of what is kept in an older format. */
  readonly #outdated = new Set<string>();
  /** The ids of what has a clock that is ahead of the machine's, since that was set back. */
  readonly #corrected = new Set<string>();
  readonly #logs = new WeakMap<Sandbox, SandboxLog>();
  readonly #sections = new SectionChecker();
  #onLost: (sandbox: Sandbox) => void = () => {};
  #watching: Later | undefined;
  #isClosed = false;

  private constructor({ store, leases }: OpenStore, durability: Durability, logger: Logger) {
    this.#store = store;
    this.leases = leases;
    this.#durability = durability;
    this.#logger = logger;
    this.#writer = new Writer(store, durability, logger, ({ sandbox }) => this.#onLost(sandbox));
    // Writing to a server tells of all that may become of it.
    if (leases === undefined) this.#watch();
  }

  /** Changes are refused soon after the folder was taken away, also where nobody changes anything. */
  #watch(): void {
    const look = () => {
      const proof = this.#writer.prove(true) ?? Promise.resolve();
      const again = () => void (this.#isClosed || this.#watch());
      proof.then(again, again);
    };
    this.#watching = later(WATCH_MS, look, { background: true });
  }

  /** @throws UnusableDocument where the place cannot be used; the system's error */
  static async open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    return new Persistence(await openStore(path, durability, logger), durability, logger);
  }

  /** Tells `listener` of sandboxes that other processes have by now. */
  onLost(listener: (sandbox: Sandbox) => void): void {
    this.#onLost = listener;
  }

  /**
   * The sandboxes that are kept, where they are this process's; others are opened one by one.
   *
   * @throws UnusableDocument with every damaged one
   */
  async load(context: ResumeContext): Promise<KeptSandbox[]> {
    if (this.leases !== undefined) return [];
    const kept: KeptSandbox[] = [];
    const problems: Problem[] = [];
    for (const id of (await this.#store.list()).toSorted(byName)) {
      try {
        kept.push(await this.loadOne(id, context));
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error;
        problems.push(...error.problems);
      }
    }
    if (problems.length > 0) throw new UnusableDocument(problems);
    return kept;
  }

  /** One sandbox that is kept. @throws UnusableDocument where it is damaged */
  async loadOne(id: string, context: ResumeContext): Promise<KeptSandbox> {
    const stored = await this.#store.open(id);
    if (isOutdated(stored.base)) await this.#keepOutdated(id, stored);
    const sandbox = await chunked(resumeInSteps(stored, context, this.#sections));
    if (stored.damage !== undefined) throw stored.damage;
    const clock = sandbox.resumeState.run.parts.run?.get("clock") as { readonly at?: number } | undefined;
    if ((clock?.at ?? 0) > wallNow()) this.#corrected.add(id);
    if (sandbox.options.id === id) return sandbox;
    const message = `is the document of the sandbox "${sandbox.options.id}" under another name`;
    throw new UnusableDocument([problemAt([id], message)]);
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
    this.#writer.add(log);
    this.#logs.set(sandbox, log);
    if (this.#outdated.delete(sandbox.id)) log.replaced();
    // Else the next start would begin where this one did.
    if (this.#corrected.delete(sandbox.id)) log.changed("run", "clock");
    return log;
  }

  get status(): StoreStatus {
    const { totals, failure = null } = this.#writer;
    return { ...totals, location: this.#store.location, durability: this.#durability, failure };
  }

  /** @throws PersistenceUnavailableError while changes cannot be kept */
  check(): void {
    this.#writer.check();
  }

  /** Resolves when the store answers and is this process's. @throws PersistenceUnavailableError */
  async prove(): Promise<void> {
    const { leases } = this;
    await (leases === undefined ? this.#writer.prove(true) : withStoreErrors(() => leases.ping()));
    this.check();
  }

  /** Resolves when all of a sandbox is written, or another process has it. */
  async drain(sandbox: Sandbox): Promise<void> {
    const log = this.#logs.get(sandbox);
    if (log !== undefined) await this.#writer.drain(log);
  }

  /** Another process has the sandbox: nothing of it is written any more. */
  lose(sandbox: Sandbox): void {
    const log = this.#logs.get(sandbox);
    if (log !== undefined) this.#writer.lose(log);
  }

  /** Resolves when everything so far is on the disk. @throws PersistenceUnavailableError */
  async flush(): Promise<void> {
    await this.#writer.flush();
    this.#writer.check();
  }

  /** Writes base documents in place of logs. @throws PersistenceUnavailableError */
  async checkpoint(sandboxes: Iterable<Sandbox>): Promise<void> {
    const logs = [...sandboxes].map((sandbox) => this.#logs.get(sandbox)).filter((log) => log !== undefined);
    await this.#writer.checkpoint(logs);
  }

  /** Writes what is left, and lets others use the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watching?.cancel();
    await this.#writer.close();
    await this.#store.close();
  }
}

/** A store, and who has what of it where several processes do. */
interface OpenStore {
  readonly store: Store;
  readonly leases?: Leases;
}

async function openStore(path: string, durability: Durability, logger: Logger): Promise<OpenStore> {
  if (ADDRESS.test(path) && !SERVER_ADDRESS.test(path)) {
    const message = `${maskedAddress(path)} is neither a folder nor a server: valkey, valkeys, redis and rediss are`;
    throw new UnusableDocument([problemAt(["data"], message)]);
  }
  if (!SERVER_ADDRESS.test(path))
    return {
      store: await FolderStore.open(path, durability, (message, where) => logger.warn(where, message)),
    };
  // Most simulators keep their sandboxes in a folder.
  const { ValkeyStore } = await import("./valkey-store.js");
  const store = await ValkeyStore.open(path, durability);
  return { store, leases: store.leases };
}
