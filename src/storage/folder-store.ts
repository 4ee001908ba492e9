import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "../kernel/errors.js";
import { monotonicNow, wallNow } from "../kernel/realtime.js";
import { FolderLock } from "./folder-lock.js";
import { compareLogNames, type LogName } from "./log-file.js";
import type { BaseDocument, Durability, Store, Stored } from "./port.js";
import { type FilesContext, hasEntries, SandboxFiles, splitName } from "./sandbox-files.js";

/** Documents first; markers, which show that the rest must be removed, last. */
const REMOVAL_ORDER = ["json", "log", "removed", "new"];

interface FoundFile {
  readonly path: string;
  readonly log?: LogName | undefined;
  readonly kind?: string;
}

const OTHERS = 0o077;
/** A process that was suspended for longer checks that it still owns the folder before it acknowledges anything, ms. */
const PAUSE_MS = 200;

/**
 * A folder: for each id a JSON document, `sandboxes/ID.json`, and a log of later changes. The document names its log,
 * `sandboxes/ID.N.log`, and a log names its continuation: each owner of the folder has a fencing number N and only appends to
 * logs with that number, so nobody reads what a process writes that has lost the folder without noticing.
 */
export class FolderStore implements Store {
  readonly location: string;
  readonly logBytes = 16 * 1024 * 1024;
  readonly #context: FilesContext;
  readonly #seenAt: number;
  readonly #files = new Map<string, SandboxFiles>();
  /** Files of operations that earlier processes did not finish, in the order in which they are removed. */
  #leftovers: string[] = [];
  #swept: Promise<void> | undefined;

  private constructor(path: string, context: FilesContext, seenAt: number) {
    this.location = path;
    this.#context = context;
    this.#seenAt = seenAt;
  }

  /** Creates the folder if necessary. @throws UnusableDocument if another process uses it; the system error */
  static async open(path: string, durability: Durability, tell: FilesContext["tell"]): Promise<FolderStore> {
    const isNew = await makeFolder(path);
    const folder = join(path, "sandboxes");
    await makeFolder(folder);
    const { mode } = await stat(path);
    if (!isNew && process.platform !== "win32" && (mode & OTHERS) !== 0) {
      const shown = (mode & 0o777).toString(8);
      tell(`${path} keeps its mode ${shown}: other users may read its content`, { path });
    }
    const { mtimeMs } = await stat(folder);
    const lock = await FolderLock.take(path, async () => {
      const names = await readdir(folder).catch(() => []);
      return Math.max(0, ...names.map((name) => splitName(name).log?.fence ?? 0));
    });
    const context = { folder, lock, isStrict: durability === "strict", tell };
    const store = new FolderStore(path, context, Math.ceil(mtimeMs));
    try {
      await store.#find();
      return store;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Lists the files, and changes nothing. */
  async #find(): Promise<void> {
    const { folder } = this.#context;
    const byId = new Map<string, FoundFile[]>();
    for (const name of await readdir(folder)) {
      const { id, ...file } = splitName(name);
      if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), { path: join(folder, name), ...file }]);
    }
    const leftovers: FoundFile[] = [];
    for (const [id, all] of byId) {
      const logs = all.filter(({ kind, log }) => kind === "log" && log !== undefined);
      const names = logs.flatMap(({ log }) => log ?? []).sort(compareLogNames);
      const last = names.at(-1)?.fence ?? 0;
      const isKept = all.some(({ kind }) => kind === "json");
      // A process that had already lost the folder may have marked it, too.
      const isRemoved = all.some(({ kind, log }) => kind === "removed" && last <= (log?.fence ?? 0));
      const isUnborn = !isKept && all.some(({ kind }) => kind === "new") && !(await haveEntries(logs));
      const isThere = !isRemoved && !isUnborn;
      if (isThere && (isKept || names.length > 0)) Object.assign(this.#of(id), { isKept, found: names });
      leftovers.push(...all.filter(({ kind }) => !isThere || kind === "removed" || kind === "new"));
    }
    this.#leftovers = REMOVAL_ORDER.flatMap((kind) =>
      leftovers.filter((file) => file.kind === kind).map(({ path }) => path),
    );
  }

  /**
   * The files under an id, which are about to be changed. Before the first change, what earlier processes left unfinished is removed:
   * nothing is removed if the start fails, and a process that was suspended meanwhile cannot finish it.
   */
  async #changed(id: string): Promise<SandboxFiles> {
    const { lock } = this.#context;
    lock.check();
    const sweep = async () => {
      await lock.prove();
      for (const path of this.#leftovers) await rm(path, { force: true });
    };
    this.#swept ??= sweep().catch((error: unknown) => {
      this.#swept = undefined;
      throw error;
    });
    await this.#swept;
    return this.#of(id);
  }

  async list(): Promise<string[]> {
    return [...this.#files.keys()];
  }

  async open(id: string): Promise<Stored> {
    return { ...(await this.#of(id).open()), seenAt: this.#seenAt };
  }

  async append(id: string, text: string): Promise<void> {
    await (await this.#changed(id)).append(text);
  }

  prove(mustLook: boolean): Promise<void> | undefined {
    const { lock } = this.#context;
    if (mustLook) return this.#proveAll();
    return lock.isLost || monotonicNow() - lock.provenAt >= PAUSE_MS ? lock.prove() : undefined;
  }

  async #proveAll(): Promise<void> {
    const { folder, lock } = this.#context;
    await lock.prove();
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = new Set(found.filter((file) => file.isFile()).map(({ name }) => name));
    // Files that are not listed may have been created meanwhile.
    for (const files of this.#files.values()) if (!files.isIn(names)) await files.look();
    await this.#showTime();
  }

  /** The folder's modification time tells the next process when this one was last active, by this one's clock. */
  async #showTime(): Promise<void> {
    const seconds = wallNow() / 1000;
    await utimes(this.#context.folder, seconds, seconds).catch(() => {});
  }

  sizeOf(id: string): { log: number; base: number } {
    return this.#of(id).size;
  }

  rotate(id: string): void {
    this.#of(id).rotate();
  }

  async compact(id: string, base: BaseDocument): Promise<void> {
    const files = await this.#changed(id);
    await makeFolder(this.#context.folder);
    await files.compact(base);
  }

  async remove(id: string): Promise<void> {
    await (await this.#changed(id)).remove();
    this.#files.delete(id);
  }

  async close(): Promise<void> {
    for (const files of this.#files.values()) await files.close();
    await this.#showTime();
    await this.#context.lock.release();
  }

  #of(id: string): SandboxFiles {
    const files = this.#files.get(id) ?? new SandboxFiles(id, this.#context);
    this.#files.set(id, files);
    return files;
  }
}

const haveEntries = async (logs: readonly FoundFile[]): Promise<boolean> =>
  logs.length > 1 || (logs[0] !== undefined && (await hasEntries(logs[0].path).catch(() => true)));

/** Creates a folder and its parents if necessary. @returns whether it did not exist */
async function makeFolder(path: string): Promise<boolean> {
  try {
    // Not `recursive`, which hangs if the system denies that an existing folder exists, as /proc does.
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST") && (await stat(path)).isDirectory()) return false;
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
    return true;
  }
}
