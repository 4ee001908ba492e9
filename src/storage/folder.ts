import * as fs from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { hasCode, reasonOf } from "../kernel/errors.js";
import { UnusableDocument } from "../kernel/problems.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import { FolderLock } from "./folder-lock.js";
import type { Store } from "./port.js";

const ID = new RegExp(SANDBOX_ID.pattern);
const END = ".json";
/** The ends of files that a process had not put in place when it stopped. */
const UNFINISHED = /\.json\.[\w-]+\.new$/;
const OTHERS = 0o077;

const unusable = (file: string, message: string) => new UnusableDocument([{ file, path: "", message }]);

const synced = promisify(fs.fsync);

/** What tells a file from another one, and from itself after an edit. */
const identityOf = ({ ino, size, mtimeMs }: fs.Stats): string => [ino, size, mtimeMs].join();

/**
 * A folder: for each id a document, `ID.json`. A document is written to a new file, which then takes the place of the old one,
 * after a look at the lock of the folder and at the old file. Only what waits for the disk is left to other threads: on a busy
 * machine, each change of threads takes longer than a call that does not wait.
 *
 * Whoever takes the folder over first removes the new files of others: a process that was stopped before it could put one in
 * place finds none when it goes on.
 */
export class FolderStore implements Store {
  /** The files that this process has read or written. */
  readonly #known = new Map<string, string>();

  private constructor(
    readonly location: string,
    private readonly lock: FolderLock,
    private folder: number | undefined,
  ) {}

  /** Creates the folder if necessary. @throws UnusableDocument if another process uses it; the system error */
  static async open(path: string, warn: (message: string) => void): Promise<FolderStore> {
    const isNew = await makeFolder(path);
    const { mode } = await stat(path);
    if (!isNew && process.platform !== "win32" && (mode & OTHERS) !== 0)
      warn(`${path} keeps its mode ${(mode & 0o777).toString(8)}: other users may read its content`);
    const lock = await FolderLock.take(path);
    try {
      const names = await readdir(path);
      if (names.includes("sandboxes"))
        throw unusable(
          join(path, "sandboxes"),
          "is of a version that was never released: use another folder",
        );
      for (const name of names) if (UNFINISHED.test(name)) await rm(join(path, name), { force: true });
      // Not every system can open a folder.
      const folder = process.platform === "win32" ? undefined : fs.openSync(path, "r");
      return new FolderStore(path, lock, folder);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async list(): Promise<string[]> {
    this.lock.look();
    const known = [...this.#known.keys()];
    const names = (await readdir(this.location)).filter((name) => name.endsWith(END));
    const ids = names.map((name) => name.slice(0, -END.length));
    const there = new Set(ids);
    const gone = known.find((id) => !there.has(id) && this.#known.has(id));
    if (gone !== undefined) throw new Error(changedText(this.#pathOf(gone), "was removed"));
    return ids;
  }

  async read(id: string): Promise<{ readonly name: string; readonly text: string }> {
    const name = this.#pathOf(id);
    try {
      const found = await stat(name);
      if (!ID.test(id))
        throw unusable(name, `must have the id of a sandbox as its name: ${SANDBOX_ID["x-form"]}`);
      const kind = found.isDirectory() ? "a folder" : "not a regular file";
      if (!found.isFile()) throw unusable(name, `is ${kind}, and must be a file: move it away`);
      // In one piece: a text that is read in chunks is in memory twice.
      const text = fs.readFileSync(name, "utf8");
      this.#known.set(id, identityOf(found));
      return { name, text };
    } catch (error) {
      throw error instanceof UnusableDocument ? error : unusable(name, `cannot be read: ${reasonOf(error)}`);
    }
  }

  async write(id: string, content: Buffer | string): Promise<void> {
    const path = this.#pathOf(id);
    const fresh = `${path}.${this.lock.id}.new`;
    try {
      const file = fs.openSync(fresh, "w", 0o600);
      let written: fs.Stats;
      try {
        fs.writeFileSync(file, content);
        await synced(file);
        written = fs.fstatSync(file);
      } finally {
        fs.closeSync(file);
      }
      // In one turn, so that little can happen in between.
      this.lock.look();
      this.#expectOwn(id);
      fs.renameSync(fresh, path);
      this.#known.set(id, identityOf(written));
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => {});
      throw error;
    }
    await this.#sync();
  }

  async remove(id: string): Promise<void> {
    if (!this.#known.has(id)) return;
    this.lock.look();
    this.#expectOwn(id);
    fs.rmSync(this.#pathOf(id), { force: true });
    this.#known.delete(id);
    await this.#sync();
  }

  /** Waits until the names in the folder are on the disk. */
  async #sync(): Promise<void> {
    if (this.folder !== undefined) await synced(this.folder);
  }

  check(): void {
    this.lock.check();
  }

  async close(): Promise<void> {
    const { folder } = this;
    this.folder = undefined;
    if (folder !== undefined) fs.closeSync(folder);
    await this.lock.release();
  }

  #pathOf(id: string): string {
    return join(this.location, `${id}${END}`);
  }

  /** @throws Error unless the document is the one that this process has read or written */
  #expectOwn(id: string): void {
    const path = this.#pathOf(id);
    const found = fs.statSync(path, { throwIfNoEntry: false });
    const known = this.#known.get(id);
    if (known === (found && identityOf(found))) return;
    const what =
      known === undefined ? "is there already" : found === undefined ? "was removed" : "was replaced";
    throw new Error(changedText(path, what));
  }
}

const changedText = (path: string, what: string): string =>
  `${path} ${what} while this process uses the folder: restore it, or start again`;

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
