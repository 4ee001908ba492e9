import { Low } from "lowdb";
import pLimit from "p-limit";
import { type Logger, reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { type Problem, problemAt, UnusableDocument } from "../kernel/problems.js";
import { sleep } from "../kernel/realtime.js";
import { fromDocument, type OpenContext, type SandboxDocument, toDocument } from "../sandbox/document.js";
import { byName } from "../sandbox/registry.js";
import type { KeptSandbox, Sandbox, SandboxSetup } from "../sandbox/sandbox.js";
import { PersistenceUnavailableError, type Saver, type StoreStatus } from "../sandbox/saver.js";
import { summaryOf } from "../sandbox/summary.js";
import { DocumentSaver, RETRY_MS, type SaverContext } from "./document-saver.js";
import { FolderStore } from "./folder.js";
import { ADDRESS, type Durability, SERVER_ADDRESS, type Store } from "./port.js";
import { type RecordLines, StoredDocument } from "./stored-document.js";
import type { ValkeyStore } from "./valkey-store.js";

/** How many documents are written at once: each takes an open file, and the disk gets no faster. */
const WRITES_AT_ONCE = 16;

/** What lowdb has until a document is read. */
const NO_DOCUMENT = {} as SandboxDocument;

type Loaded = readonly [SandboxSetup, KeptSandbox];

/**
 * Saves the sandboxes of a simulator beyond its process: a document for each.
 *
 * @example
 * const persistence = await Persistence.open("data", "batched", logger);
 * const kept = await persistence.load({ loader, checker, defaults });
 * const registry = new SandboxRegistry(defaults, memory, outbox, report, (sandbox) => persistence.saverOf(sandbox), kept);
 * await persistence.flush(); // sandboxes that are new are on the disk
 */
export class Persistence implements SaverContext {
  /** The saver of each id, which may have belonged to several sandboxes, one after the other. */
  readonly #savers = new Map<string, DocumentSaver>();
  readonly #failing = new Set<DocumentSaver>();
  readonly #lines: RecordLines = new WeakMap();
  readonly #few = pLimit(WRITES_AT_ONCE);
  onLost: (sandbox: Sandbox) => void = () => {};
  /** False if `close` could not save the last changes. */
  isSaved = true;

  /** `leases`: which process holds which sandbox; undefined if this one holds all. */
  private constructor(
    private readonly store: Store,
    private readonly durability: Durability,
    private readonly logger: Logger,
    readonly leases?: ValkeyStore,
  ) {}

  /** @throws UnusableDocument if the location cannot be used */
  static async open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    try {
      return await Persistence.#open(path, durability, logger);
    } catch (error) {
      if (error instanceof UnusableDocument) throw error;
      const message = `cannot use ${maskedAddress(path)}: ${reasonOf(error)}`;
      throw new UnusableDocument([problemAt(["data"], message)]);
    }
  }

  static async #open(path: string, durability: Durability, logger: Logger): Promise<Persistence> {
    if (SERVER_ADDRESS.test(path)) {
      // Most simulators that save use a folder.
      const { ValkeyStore } = await import("./valkey-store.js");
      const store = await ValkeyStore.open(path);
      return new Persistence(store, durability, logger, store);
    }
    if (ADDRESS.test(path)) {
      const message = `${maskedAddress(path)} is neither a folder nor a server address (valkey, valkeys, redis, rediss)`;
      throw new UnusableDocument([problemAt(["data"], message)]);
    }
    const warn = (message: string) => logger.warn({ path }, message);
    return new Persistence(await FolderStore.open(path, warn), durability, logger);
  }

  /**
   * The saved sandboxes, if they all belong to this process; otherwise they are opened one by one.
   *
   * @throws UnusableDocument with every damaged one
   */
  async load(context: OpenContext): Promise<readonly Loaded[]> {
    if (this.leases !== undefined) return [];
    const kept: Loaded[] = [];
    const problems: Problem[] = [];
    for (const id of (await this.store.list()).toSorted(byName)) {
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

  /** One saved sandbox. @throws UnusableDocument, with file and place, if its document is damaged */
  async loadOne(id: string, context: OpenContext): Promise<Loaded> {
    const stored = new StoredDocument(this.store, id, this.#lines);
    const low = new Low<SandboxDocument>(stored, NO_DOCUMENT);
    await low.read();
    try {
      const loaded = fromDocument(low.data, id, context);
      const { name, isEdited } = stored;
      if (isEdited)
        this.logger.warn({ file: name }, `${name} was edited by hand: its checksum does not match`);
      return loaded;
    } catch (error) {
      throw await stored.located(error);
    }
  }

  get isStrict(): boolean {
    return this.durability === "strict";
  }

  write(id: string, sandbox: Sandbox | undefined): Promise<number> {
    return this.#few(() => (sandbox === undefined ? this.#remove(id) : this.#write(id, sandbox)));
  }

  async #remove(id: string): Promise<number> {
    await this.store.remove(id);
    return 0;
  }

  async #write(id: string, sandbox: Sandbox): Promise<number> {
    const stored = new StoredDocument(this.store, id, this.#lines);
    const summary = summaryOf(sandbox);
    await new Low(stored, toDocument(sandbox)).write();
    await this.leases?.summarize(id, summary);
    return stored.size;
  }

  /** What saves a sandbox. An earlier one with its id was deleted: the new document takes the place of its own. */
  saverOf(sandbox: Sandbox): Saver {
    const known = this.#savers.get(sandbox.id);
    const saver = known?.isOver === false ? known : new DocumentSaver(sandbox.id, sandbox, this);
    saver.sandbox = sandbox;
    this.#savers.set(sandbox.id, saver);
    return saver;
  }

  get status(): StoreStatus {
    const { durability, store } = this;
    return { location: store.location, durability, failure: this.#failure ?? null };
  }

  get #failure(): string | undefined {
    return this.#failing.values().next().value?.failure;
  }

  /** Whether the last write of any document failed. */
  get isDegraded(): boolean {
    return this.#failing.size > 0;
  }

  /** @throws PersistenceUnavailableError while changes cannot be saved */
  check(): void {
    const refuse = (reason: string) => {
      throw new PersistenceUnavailableError(`changes cannot be saved in ${this.store.location}: ${reason}`);
    };
    if (this.#failure !== undefined) refuse(this.#failure);
    try {
      this.store.check();
    } catch (error) {
      refuse(reasonOf(error));
    }
  }

  /** Resolves if the store answers, belongs to this process, and has its documents. @throws PersistenceUnavailableError */
  async ready(): Promise<void> {
    this.check();
    await withStoreErrors(() => this.store.list());
  }

  /** Resolves when all changes so far are saved. @throws PersistenceUnavailableError */
  async flush(): Promise<void> {
    await Promise.all([...this.#savers.values()].map((saver) => saver.flush()));
    this.check();
  }

  /** Resolves when everything in one sandbox is saved, however long that takes, or no longer needs to be. */
  async drain(id: string): Promise<void> {
    const saver = this.#savers.get(id);
    while (saver !== undefined && !saver.isSaved) {
      await saver.flush();
      if (!saver.isSaved) await sleep(RETRY_MS);
    }
  }

  /** Nothing more of a sandbox is written: another process holds it. */
  lose(id: string): void {
    this.#savers.get(id)?.lose();
  }

  lost(saver: DocumentSaver): void {
    if (this.#savers.get(saver.id) === saver) this.#savers.delete(saver.id);
    this.#failing.delete(saver);
    if (saver.sandbox !== undefined) this.onLost(saver.sandbox);
  }

  /** Writes what is left, once, and releases the store. */
  async close(): Promise<void> {
    await Promise.all([...this.#savers.values()].map((saver) => saver.flush()));
    this.isSaved = [...this.#savers.values()].every((saver) => saver.isSaved);
    if (!this.isSaved) {
      const message = `the last changes could not be saved: ${this.#failure}`;
      this.logger.error({ store: this.store.location }, message);
    }
    await this.store.close();
  }

  written(saver: DocumentSaver): void {
    if (saver.isOver) this.#savers.delete(saver.id);
    if (!this.#failing.delete(saver) || this.isDegraded) return;
    this.logger.info({ store: this.store.location }, "changes are saved again");
  }

  failed(saver: DocumentSaver, reason: string, error: unknown): void {
    const isFirst = !this.isDegraded;
    this.#failing.add(saver);
    if (isFirst)
      this.logger.error(
        { err: error, store: this.store.location, sandbox: saver.id },
        `changes cannot be saved: ${reason}; calls that change something get 503 until then`,
      );
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
