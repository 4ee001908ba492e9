import { type Logger, reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { chunked, later, wallNow } from "../kernel/realtime.js";
import { type ChangeLog, PersistenceUnavailableError } from "../sandbox/durable.js";
import { byName, type KeptSandbox } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { FolderStore } from "./folder-store.js";
import { ADDRESS, type Durability, SERVER_ADDRESS, type Store } from "./port.js";
import { type ResumeContext, resumeChunked } from "./resume.js";
import type { ValkeyStore } from "./valkey-store.js";
import { Writer } from "./writer.js";

/** How often the folder's existence is checked, ms. */
const WATCH_MS = 500;

/**
 * Saves the sandboxes of a simulator beyond its process.
 *
 * @example
 * const persistence = await Persistence.open("data", "batched", logger);
 * const kept = await persistence.load({ loader, checker, journalLimit: 10_000 });
 * const registry = new SandboxRegistry(defaults, memory, outbox, report, (sandbox) => persistence.logOf(sandbox), kept);
 * await persistence.flush(); // sandboxes that are new are on the disk
 */
export class Persistence extends Writer {
  /** The ids of sandboxes whose clock is ahead of the machine's, because that was set back. */
  readonly #corrected = new Set<string>();

  /** `leases`: which process holds which sandbox; undefined if this one holds all. */
  private constructor(
    store: Store,
    durability: Durability,
    logger: Logger,
    readonly leases?: ValkeyStore,
  ) {
    super(store, durability, logger);
    // Writes to a server fail with a reason of their own.
    if (leases === undefined) this.#watch();
  }

  /** Changes are refused soon after the folder was deleted, even if there are no writes. */
  #watch(): void {
    const look = async () => {
      if (this.isClosed) return;
      await this.prove(true)?.catch(() => {});
      this.#watch();
    };
    later(WATCH_MS, look, { background: true });
  }

  /** @throws UnusableDocument if the location cannot be used; the system error */
  static async open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    if (SERVER_ADDRESS.test(path)) {
      // Most simulators that save use a folder.
      const { ValkeyStore } = await import("./valkey-store.js");
      const store = await ValkeyStore.open(path, durability);
      return new Persistence(store, durability, logger, store);
    }
    if (ADDRESS.test(path)) {
      const message = `${maskedAddress(path)} is neither a folder nor a server address (valkey, valkeys, redis, rediss)`;
      throw new UnusableDocument([problemAt(["data"], message)]);
    }
    const tell = (message: string, where: object) => logger.warn(where, message);
    return new Persistence(await FolderStore.open(path, durability, tell), durability, logger);
  }

  /**
   * The saved sandboxes, if they all belong to this process; otherwise they are opened one by one.
   *
   * @throws UnusableDocument with every damaged one
   */
  async load(context: ResumeContext): Promise<KeptSandbox[]> {
    if (this.leases !== undefined) return [];
    const kept: KeptSandbox[] = [];
    const errors: UnusableDocument[] = [];
    for (const id of (await this.store.list()).toSorted(byName)) {
      try {
        kept.push(await this.loadOne(id, context));
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error;
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new UnusableDocument(errors.flatMap(({ problems }) => problems));
    return kept;
  }

  /** One saved sandbox. @throws UnusableDocument if it is damaged */
  async loadOne(id: string, context: ResumeContext): Promise<KeptSandbox> {
    const stored = await this.store.open(id);
    const sandbox = await chunked(resumeChunked(stored, context));
    if (stored.damage !== undefined) throw stored.damage;
    const clock = sandbox.resumeState.run.parts.run?.get("clock") as { readonly at?: number } | undefined;
    if ((clock?.at ?? 0) > wallNow()) this.#corrected.add(id);
    return sandbox;
  }

  override logOf(sandbox: Sandbox): ChangeLog {
    const log = super.logOf(sandbox);
    // Otherwise the next start would begin where this one did.
    if (this.#corrected.delete(sandbox.id)) log.changed("run", "clock");
    return log;
  }

  /** Resolves if the store answers and belongs to this process. @throws PersistenceUnavailableError */
  async ready(): Promise<void> {
    const { leases } = this;
    await (leases === undefined ? this.prove(true) : withStoreErrors(() => leases.ping()));
    this.check();
  }

  /** Writes remaining changes, and releases the store. */
  override async close(): Promise<void> {
    await super.close();
    await this.store.close();
  }
}

/** The answer of a shared store. @throws PersistenceUnavailableError if there is none */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PersistenceUnavailableError(`the sandbox store does not respond: ${reasonOf(error)}`);
  }
}
