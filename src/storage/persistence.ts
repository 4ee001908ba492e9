import { chunked } from "../kernel/chunked.js";
import type { Logger } from "../kernel/errors.js";
import { reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import type { Later } from "../kernel/realtime.js";
import { later, wallNow } from "../kernel/realtime.js";
import type { ChangeLog } from "../sandbox/durable.js";
import { PersistenceUnavailableError } from "../sandbox/durable.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import { byName } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { FORMAT, formatOf, isOutdated } from "./base-document.js";
import { FolderStore } from "./folder-store.js";
import type { Durability, Store, Stored } from "./port.js";
import { ADDRESS, SERVER_ADDRESS } from "./port.js";
import type { ResumeContext } from "./resume.js";
import { resumeChunked } from "./resume.js";
import type { ValkeyStore } from "./valkey-store.js";
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
export class Persistence extends Writer {
  /** Which process has which sandbox; undefined where this one has all. */
  readonly leases: ValkeyStore | undefined;
  readonly #store: Store;
  readonly #logger: Logger;
  /** The ids of what is kept in an older format. */
  readonly #outdated = new Set<string>();
  /** The ids of what has a clock that is ahead of the machine's, since that was set back. */
  readonly #corrected = new Set<string>();
  #watching: Later | undefined;

  private constructor({ store, leases }: OpenStore, durability: Durability, logger: Logger) {
    super(store, durability, logger);
    this.#store = store;
    this.leases = leases;
    this.#logger = logger;
    // Writing to a server tells of all that may become of it.
    if (leases === undefined) this.#watch();
  }

  /** Changes are refused soon after the folder was taken away, also where nobody changes anything. */
  #watch(): void {
    const look = () => {
      const proof = this.prove(true) ?? Promise.resolve();
      const again = () => void (this.isClosed || this.#watch());
      proof.then(again, again);
    };
    this.#watching = later(WATCH_MS, look, { background: true });
  }

  /** @throws UnusableDocument where the place cannot be used; the system's error */
  static async open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    return new Persistence(await openStore(path, durability, logger), durability, logger);
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
    const sandbox = await chunked(resumeChunked(stored, context));
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
      `upgraded to format ${FORMAT}; the old version is kept in ${copy}`,
    );
  }

  override logOf(sandbox: Sandbox): ChangeLog {
    const log = super.logOf(sandbox);
    if (this.#outdated.delete(sandbox.id)) log.replaced();
    // Else the next start would begin where this one did.
    if (this.#corrected.delete(sandbox.id)) log.changed("run", "clock");
    return log;
  }

  /** Resolves when the store answers and is this process's. @throws PersistenceUnavailableError */
  async ready(): Promise<void> {
    const { leases } = this;
    await (leases === undefined ? this.prove(true) : withStoreErrors(() => leases.ping()));
    this.check();
  }

  /** Writes what is left, and lets others use the store. */
  override async close(): Promise<void> {
    this.#watching?.cancel();
    await super.close();
    await this.#store.close();
  }
}

/** What a store that processes share answers. @throws PersistenceUnavailableError where it does not */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PersistenceUnavailableError(`the store of the sandboxes does not answer: ${reasonOf(error)}`);
  }
}

interface OpenStore {
  readonly store: Store;
  readonly leases?: ValkeyStore;
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
  return { store, leases: store };
}
