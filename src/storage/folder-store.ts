import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { monotonicNow, wallNow } from "../kernel/realtime.js";
import { syncFolder } from "./document-file.js";
import { FolderLock } from "./folder-lock.js";
import { compareLogNames } from "./log-file.js";
import type { BaseDocument, Durability, Store, Stored } from "./port.js";
import type { FilesContext } from "./sandbox-files.js";
import { isThere, SandboxFiles, splitName } from "./sandbox-files.js";

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
    if (!isNew && process.platform !== "win32" && (mode & OTHERS) !== 0)
      tell(`${path} keeps its mode ${(mode & 0o777).toString(8)}: other users may read its content`, {
        path,
      });
    const { mtimeMs } = await stat(folder);
    const lock = await FolderLock.take(path, async () => {
      const names = await readdir(folder).catch(() => []);
      return Math.max(0, ...names.map((name) => splitName(name).log?.fence ?? 0));
    });
    const store = new FolderStore(path, { folder, lock, isStrict: durability === "strict", tell }, mtimeMs);
    try {
      await store.#find();
      return store;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Lists the files, and completes what another process has left unfinished. */
  async #find(): Promise<void> {
    const { folder } = this.#context;
    const names = (await readdir(folder)).map((name) => ({ path: join(folder, name), ...splitName(name) }));
    for (const { id, log, kind } of names) {
      if (id === undefined) continue;
      const files = this.#of(id);
      if (kind === "json") files.isKept = true;
      else if (log !== undefined && kind === "log") files.found.push(log);
    }
    for (const [id, files] of [...this.#files]) {
      files.found.sort(compareLogNames);
      const [last] = files.found.slice(-1);
      for (const { path, log } of names.filter((each) => each.id === id && each.kind === "removed")) {
        if (last === undefined || last.fence <= (log?.fence ?? 0)) {
          this.#files.delete(id);
          await files.removeFiles();
        }
        // That process had already lost the folder.
        else await rm(path, { force: true });
      }
    }
    for (const { path, id, kind } of names)
      if (kind === "new" && id !== undefined && !(await this.#of(id).adopt(path)))
        await rm(path, { force: true });
  }

  async list(): Promise<string[]> {
    return [...this.#files].filter(([, { isKept, found }]) => isKept || found.length > 0).map(([id]) => id);
  }

  async open(id: string): Promise<Stored> {
    return { ...(await this.#of(id).open()), seenAt: this.#seenAt };
  }

  /** What is readable under an id regardless of damage, and what is not. @throws UnusableDocument */
  salvage(id: string): ReturnType<SandboxFiles["salvage"]> {
    return this.#of(id).salvage();
  }

  async append(id: string, text: string): Promise<void> {
    this.#context.lock.check();
    await this.#of(id).append(text);
  }

  prove(mustLook: boolean): Promise<void> | undefined {
    const { lock } = this.#context;
    if (!mustLook && !lock.isLost && monotonicNow() - lock.provenAt < PAUSE_MS) return undefined;
    return mustLook ? this.#proveAll() : lock.prove();
  }

  async #proveAll(): Promise<void> {
    const { folder, lock } = this.#context;
    const names = new Set(await readdir(folder).catch(() => []));
    for (const { trouble } of this.#files.values()) if (trouble !== undefined) throw trouble;
    for (const [id, files] of this.#files) {
      const { path } = files.document;
      if (!files.isKept || names.has(basename(path)) || (await isThere(path))) continue;
      if (this.#files.get(id)?.isKept) await files.refuseMissing();
    }
    await lock.prove();
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
    const { folder, lock } = this.#context;
    lock.check();
    if (await makeFolder(folder)) for (const files of this.#files.values()) files.isAway = true;
    await this.#of(id).compact(base);
  }

  async copy(id: string, label: string): Promise<string> {
    const folder = join(this.location, label);
    await makeFolder(folder);
    await this.#of(id).copyTo(folder);
    await syncFolder(folder);
    return folder;
  }

  async remove(id: string): Promise<void> {
    this.#context.lock.check();
    const files = this.#of(id);
    await files.markRemoved();
    this.#files.delete(id);
    await files.removeFiles();
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

/** Creates a folder and its parents if necessary. @returns whether it did not exist */
async function makeFolder(path: string): Promise<boolean> {
  // Not `recursive`, which hangs if the system denies that an existing folder exists, as /proc does.
  const make = () => mkdir(path, { mode: 0o700 });
  const error = await make().then(
    () => undefined,
    (reason: NodeJS.ErrnoException) => reason,
  );
  if (error === undefined) return true;
  if (error.code === "EEXIST" && (await stat(path)).isDirectory()) return false;
  const around = dirname(path);
  if (error.code !== "ENOENT" || around === path) throw error;
  await makeFolder(around);
  await make();
  return true;
}
