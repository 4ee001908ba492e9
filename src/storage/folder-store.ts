import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Low } from "lowdb";
import { hasCode } from "../kernel/errors.js";
import { UnusableDocument } from "../kernel/problems.js";
import { monotonicNow, wallNow } from "../kernel/realtime.js";
import { DocumentFile, syncFolder } from "./document-file.js";
import { FolderLock } from "./folder-lock.js";
import type { LogName } from "./log-file.js";
import {
  compareLogNames,
  damaged,
  LogFile,
  logNameText,
  parseLogName,
  readLog,
  readLogOfFormat1,
  salvageLog,
  Vanished,
} from "./log-file.js";
import type { BaseDocument, Durability, Store, Stored } from "./port.js";

const DOCUMENTS = "sandboxes";
const OTHERS = 0o077;
/** With `batched`, whether the folder is still ours and its files are there is looked at so often, ms: looking costs more than adding. */
const LOOK_AFTER_MS = 80;
/** A process that was stopped for longer proves that the folder is its own before it acknowledges anything, ms. */
const PAUSE_MS = 200;

type Tell = (message: string, where: object) => void;

interface Mark {
  readonly log: string;
  /** The number of the last entry that the document holds. */
  readonly after: number;
}

interface Entry {
  readonly document: DocumentFile<BaseDocument>;
  isKept: boolean;
  /** The folder was taken away with it, and made anew. */
  isAway: boolean;
  seq: number;
  /** Those that are read at a start, oldest first; the last one is added to. */
  logs: LogFile[];
  /** The first log since the last `rotate`. */
  mark: LogFile | undefined;
  /** Logs that were there at the start. */
  found: LogName[];
  /** How many logs this process began. */
  parts: number;
  lookedAt: number;
  /** The last attempt to add something failed. */
  isFailing: boolean;
  /** What a look behind an entry has found: the next entry fails with it. */
  trouble?: Error | undefined;
}

/**
 * A folder: for each id one JSON document, `sandboxes/ID.json`, and the log of what came after it. The document names its log,
 * `sandboxes/ID.N.log`, and a log the one that goes on: each owner of the folder has a fencing number N and adds to logs with
 * that number only, so nobody reads what a process writes that lost the folder without noticing.
 */
export class FolderStore implements Store {
  readonly location: string;
  readonly logBytes = 16 * 1024 * 1024;
  readonly #lock: FolderLock;
  readonly #isStrict: boolean;
  readonly #tell: Tell;
  readonly #seenAt: number;
  readonly #entries = new Map<string, Entry>();

  private constructor(path: string, lock: FolderLock, durability: Durability, tell: Tell, seenAt: number) {
    this.location = path;
    this.#lock = lock;
    this.#isStrict = durability === "strict";
    this.#tell = tell;
    this.#seenAt = seenAt;
  }

  /** Makes the folder where there is none. @throws UnusableDocument where another process uses it; the system's error */
  static async open(path: string, durability: Durability, tell: Tell): Promise<FolderStore> {
    const isNew = await makeFolder(path);
    const documents = join(path, DOCUMENTS);
    await makeFolder(documents);
    const { mode } = await stat(path);
    if (!isNew && process.platform !== "win32" && (mode & OTHERS) !== 0)
      tell(`${path} keeps its mode ${(mode & 0o777).toString(8)}: others may read what is in it`, { path });
    const { mtimeMs } = await stat(documents);
    const lock = await FolderLock.take(path, async () => {
      const names = await readdir(documents).catch(() => []);
      return Math.max(0, ...names.map((name) => splitName(name).log?.fence ?? 0));
    });
    const store = new FolderStore(path, lock, durability, tell, mtimeMs);
    try {
      await store.#find();
      return store;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Takes stock of the files, and ends what another process had begun. */
  async #find(): Promise<void> {
    const names = (await readdir(this.#path())).map((name) => ({ name, ...splitName(name) }));
    for (const { id, log, kind } of names) {
      if (id === undefined) continue;
      const entry = this.#entry(id);
      if (kind === "json") entry.isKept = true;
      else if (log !== undefined && kind === "log") entry.found.push(log);
    }
    for (const [id, entry] of this.#entries) {
      entry.found.sort(compareLogNames);
      const [last] = entry.found.slice(-1);
      for (const { name, log } of names.filter((each) => each.id === id && each.kind === "removed"))
        if (last === undefined || last.fence <= (log?.fence ?? 0)) await this.#removeFiles(id);
        // That process had lost the folder by then.
        else await rm(this.#path(name), { force: true });
    }
    for (const { name, id, kind } of names) {
      if (kind !== "new" || id === undefined) continue;
      if (!(await this.#isAdopted(id, this.#path(name)))) await rm(this.#path(name), { force: true });
    }
  }

  /** A document that was whole when its process stopped takes its place where there is none. */
  async #isAdopted(id: string, path: string): Promise<boolean> {
    const entry = this.#entry(id);
    if (entry.isKept || entry.found.length === 0) return false;
    const document = new DocumentFile<BaseDocument>(path);
    const log = parseLogName(markOf(await document.read().catch(() => null))?.log);
    if (log === undefined || !document.isSealed) return false;
    if (!entry.found.some((found) => compareLogNames(found, log) === 0)) return false;
    await rename(path, entry.document.path);
    entry.isKept = true;
    return true;
  }

  async list(): Promise<string[]> {
    return [...this.#entries].filter(([, { isKept, found }]) => isKept || found.length > 0).map(([id]) => id);
  }

  async open(id: string): Promise<Stored> {
    const entry = this.#entry(id);
    const { document } = entry;
    const name = document.path;
    const low = new Low<BaseDocument>(document, {});
    await low.read();
    if (!entry.isKept) throw damaged(name, undefined, "is missing, and its log is there");
    const { data } = low;
    const mark = markOf(data);
    const kept = { name, base: withoutMark(data), seenAt: this.#seenAt };
    if (mark === undefined) return { ...kept, ...(await this.#openFormat1(id, data)) };
    const seal = document.isSealed
      ? undefined
      : damaged(name, undefined, "was changed: its checksum does not fit");
    const entries: unknown[] = [];
    entry.seq = mark.after;
    for (let next = parseLogName(mark.log); next !== undefined; ) {
      const log = new LogFile(this.#logPath(id, next), next, entry.seq, false);
      entry.logs.push(log);
      const { texts, torn, next: following } = await readLog(log.path, entry.seq + 1);
      log.isTorn = torn > 0;
      if (log.isTorn)
        this.#tell(`${log.path}: left out ${torn} bytes at its end, which were not written to the end`, {
          path: log.path,
        });
      log.length = texts.reduce((sum, text) => sum + text.length, 0);
      entry.seq += texts.length;
      for (const text of texts) entries.push(JSON.parse(text));
      next = following;
    }
    await this.#refuseUnnamed(id);
    return { ...kept, entries, damage: seal };
  }

  /** A log that goes on where the last one ends was named there once. */
  async #refuseUnnamed(id: string): Promise<void> {
    const { found, logs } = this.#entry(id);
    const last = logs.at(-1);
    for (const name of found) {
      if (last === undefined || compareLogNames(name, last.name) <= 0) continue;
      const path = this.#logPath(id, name);
      if ((await stat(path)).size === 0) continue;
      throw damaged(last.path, undefined, `lacks its last line, which names ${basename(path)}`);
    }
  }

  async #openFormat1(id: string, data: BaseDocument): Promise<Pick<Stored, "entries" | "damage">> {
    const entry = this.#entry(id);
    const { generation } = (data.simulator ?? {}) as { readonly generation?: unknown };
    if (!Number.isSafeInteger(generation)) {
      const message = "must be the name of a log: is this the base document of a sandbox?";
      const file = entry.document.path;
      return { entries: [], damage: new UnusableDocument([{ file, path: "simulator.log", message }]) };
    }
    const entries: unknown[] = [];
    for (const name of entry.found.filter(({ fence }) => fence >= Number(generation))) {
      const log = new LogFile(this.#logPath(id, name), name, 0, false);
      for (const text of await readLogOfFormat1(log.path)) entries.push(JSON.parse(text));
      entry.logs.push(log);
    }
    return { entries };
  }

  /**
   * What can be read under an id whatever happened to its files, and what cannot.
   *
   * @throws UnusableDocument where there is no document that can be read
   */
  async salvage(id: string): Promise<{ readonly stored: Stored; readonly lost: readonly string[] }> {
    const entry = this.#entry(id);
    if (!entry.isKept) throw damaged(entry.document.path, undefined, "is missing");
    const low = new Low<BaseDocument>(entry.document, {});
    await low.read();
    const mark = markOf(low.data);
    const kept = { name: entry.document.path, base: withoutMark(low.data) };
    if (mark === undefined)
      return { stored: { ...kept, ...(await this.#openFormat1(id, low.data)) }, lost: [] };
    const lost: string[] = [];
    const entries: unknown[] = [];
    if (!entry.document.isSealed) lost.push(`${kept.name}: its checksum does not fit; it is taken as it is`);
    for (let next = parseLogName(mark.log); next !== undefined; ) {
      const path = this.#logPath(id, next);
      const read = await salvageLog(path, mark.after + entries.length + 1).catch(() => undefined);
      if (read === undefined) lost.push(`${path}: is missing, with all that came after`);
      for (const text of read?.texts ?? []) entries.push(JSON.parse(text));
      if (read !== undefined && read.lost > 0)
        lost.push(
          `${path}: entry ${mark.after + entries.length + 1} and ${read.lost - 1} after it, with all that came later`,
        );
      next = read?.lost === 0 ? read.next : undefined;
    }
    return { stored: { ...kept, entries }, lost };
  }

  async append(id: string, text: string): Promise<void> {
    this.#lock.check();
    const entry = this.#entry(id);
    const { trouble } = entry;
    entry.trouble = undefined;
    entry.isFailing ||= trouble !== undefined;
    if (trouble !== undefined) throw trouble;
    // What may be there already is taken for a line that nobody reads.
    if (entry.isFailing) await this.#look(id, entry);
    entry.isFailing = true;
    let log = entry.logs.at(-1);
    if (log === undefined || !log.isOwn || log.isTorn) log = this.#newLog(id);
    await this.#begin(entry, log);
    await log.append(entry.seq + 1, text, { sync: this.#isStrict });
    // Only what was there before others could take the folder over is acknowledged.
    if (this.#isStrict)
      await this.#look(id, entry).catch((error: unknown) => {
        log.isTorn = true;
        throw error;
      });
    entry.seq += 1;
    entry.isFailing = false;
    if (!this.#isStrict) this.#lookBehind(id, entry);
  }

  /** A look is many steps: acknowledged changes would grow older than promised if the next entry waited for it. */
  #lookBehind(id: string, entry: Entry): void {
    if (monotonicNow() - entry.lookedAt < LOOK_AFTER_MS) return;
    entry.lookedAt = monotonicNow();
    this.#look(id, entry).catch((error: Error) => {
      entry.trouble = error;
    });
  }

  async #look(id: string, entry: Entry): Promise<void> {
    const began = monotonicNow();
    const [isKept] = await Promise.all([
      isThere(entry.document.path),
      this.#lock.prove(),
      entry.logs.at(-1)?.look(),
    ]);
    if (!isKept) await this.#refuseMissing(id);
    entry.lookedAt = began;
  }

  /** @throws Vanished where the whole folder is gone, which is made anew; else Error with what to do */
  async #refuseMissing(id: string): Promise<never> {
    const { document, isAway } = this.#entry(id);
    if (isAway || !(await isThere(this.#path()))) throw new Vanished(document.path);
    throw new Error(
      `${document.path} was removed: put it back, or save the sandbox with messaging-sim state`,
    );
  }

  prove(mustLook: boolean): Promise<void> | undefined {
    const { isLost, provenAt } = this.#lock;
    if (!mustLook && !isLost && monotonicNow() - provenAt < PAUSE_MS) return undefined;
    return mustLook ? this.#proveAll() : this.#lock.prove();
  }

  async #proveAll(): Promise<void> {
    const names = await readdir(this.#path()).then(
      (all) => new Set(all),
      () => new Set<string>(),
    );
    for (const { trouble } of this.#entries.values()) if (trouble !== undefined) throw trouble;
    for (const [id, { isKept, document }] of this.#entries)
      if (
        isKept &&
        !names.has(basename(document.path)) &&
        !(await isThere(document.path)) &&
        this.#entries.get(id)?.isKept
      )
        await this.#refuseMissing(id);
    await this.#lock.prove();
    await this.#showTime();
  }

  /** The time of the folder tells the next process when this one was there, by this one's clock. */
  async #showTime(): Promise<void> {
    const seconds = wallNow() / 1000;
    await utimes(this.#path(), seconds, seconds).catch(() => {});
  }

  sizeOf(id: string): { log: number; base: number } {
    const { logs, document } = this.#entry(id);
    return { log: logs.reduce((sum, { length }) => sum + length, 0), base: document.size };
  }

  rotate(id: string): void {
    this.#entry(id).mark = this.#newLog(id);
  }

  async compact(id: string, base: BaseDocument): Promise<void> {
    this.#lock.check();
    const entry = this.#entry(id);
    entry.mark ??= this.#newLog(id);
    const { mark } = entry;
    if (await makeFolder(this.#path())) for (const other of this.#entries.values()) other.isAway = true;
    const { simulator, ...rest } = base;
    const begins: Mark = { log: logNameText(mark.name), after: mark.after };
    const data = { ...rest, simulator: { ...(simulator as object), ...begins } };
    await new Low<BaseDocument>(entry.document, data).write();
    entry.isKept = true;
    entry.isAway = false;
    entry.trouble = undefined;
    const at = entry.logs.indexOf(mark);
    for (const log of entry.logs.splice(0, at)) await log.remove();
    for (const name of entry.found.splice(0)) await rm(this.#logPath(id, name), { force: true });
  }

  /** The log that a document names is there before it, and no other process has the folder. */
  async #checkReplacement(entry: Entry): Promise<void> {
    const { mark } = entry;
    if (mark === undefined) return;
    await this.#begin(entry, mark).catch((error: unknown) => {
      // Nobody reads the log before it once the document is there.
      if (!hasCode(error, "ENOENT")) throw error;
      return mark.begin(undefined);
    });
    await mark.look();
    await syncFolder(this.#path());
    await this.#lock.prove();
  }

  async copy(id: string, label: string): Promise<string> {
    const folder = join(this.location, label);
    await makeFolder(folder);
    const { document, logs } = this.#entry(id);
    for (const path of [document.path, ...logs.map(({ path }) => path)])
      await copySynced(path, join(folder, basename(path)));
    await syncFolder(folder);
    return folder;
  }

  async remove(id: string): Promise<void> {
    this.#lock.check();
    try {
      const marker = this.#path(`${nameOf(id)}.${this.#lock.fence}.removed`);
      await writeFile(marker, "", { mode: 0o600 });
      await syncFolder(this.#path());
      await this.#lock.prove();
    } catch (error) {
      // Where there is no folder, nothing is left in it.
      if (!hasCode(error, "ENOENT")) throw error;
    }
    await this.#removeFiles(id);
  }

  /** The document first: a process that is stopped in between has left what says that the rest is to go. */
  async #removeFiles(id: string): Promise<void> {
    const { document, logs, found } = this.#entry(id);
    this.#entries.delete(id);
    await rm(document.path, { force: true });
    for (const log of logs) await log.remove();
    for (const name of found) await rm(this.#logPath(id, name), { force: true });
    const names = await readdir(this.#path()).catch(() => []);
    for (const name of names) {
      const { id: other, kind } = splitName(name);
      if (other === id && (kind === "removed" || kind === "new")) await rm(this.#path(name), { force: true });
    }
    await syncFolder(this.#path()).catch(() => {});
  }

  async close(): Promise<void> {
    for (const { logs, seq, isFailing } of this.#entries.values())
      for (const log of logs) {
        if (log === logs.at(-1) && !log.isTorn && !isFailing) await log.end(seq + 1).catch(() => {});
        await log.sync().catch(() => {});
        await log.close();
      }
    await this.#showTime();
    await this.#lock.release();
  }

  #path(name = ""): string {
    return join(this.location, DOCUMENTS, name);
  }

  #logPath(id: string, name: LogName): string {
    return this.#path(`${nameOf(id)}.${logNameText(name)}.log`);
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const path = this.#path(`${nameOf(id)}.json`);
    const unfinished = `${path}.${this.#lock.fence}.new`;
    const mayReplace = () => this.#checkReplacement(entry);
    const document = new DocumentFile<BaseDocument>(path, { unfinished, mayReplace });
    const begun = { seq: 0, parts: 0, lookedAt: 0, isKept: false, isAway: false, isFailing: false };
    const entry: Entry = { document, logs: [], mark: undefined, found: [], ...begun };
    this.#entries.set(id, entry);
    return entry;
  }

  #newLog(id: string): LogFile {
    const entry = this.#entry(id);
    entry.parts += 1;
    const name = { fence: this.#lock.fence, part: entry.parts };
    const log = new LogFile(this.#logPath(id, name), name, entry.seq, true);
    entry.logs.push(log);
    return log;
  }

  #begin(entry: Entry, log: LogFile): Promise<void> {
    return log.begin(entry.logs[entry.logs.indexOf(log) - 1]);
  }
}

/** Makes a folder, and those around it; one that is there stays. @returns whether there was none */
async function makeFolder(path: string): Promise<boolean> {
  // Not `recursive`, which never ends where the system says of a folder that is there that it is not, as /proc does.
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

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const handle = await open(to, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Names of files that differ in more than the case of their letters, for systems that do not tell the two apart. */
const nameOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `=${letter}`);
const idOf = (name: string): string => name.replaceAll("=", "");

/** What a file of the folder is: `ID.json`, `ID.N.log`, `ID.N.removed`, `ID.json.new` or `ID.json.N.new`. */
function splitName(name: string): { id?: string; log?: LogName | undefined; kind?: string } {
  const [, id, number, kind] = /^([^.]+)(?:\.json)?(?:\.([\d.]+))?\.(json|log|removed|new)$/.exec(name) ?? [];
  return id === undefined ? {} : { id: idOf(id), log: parseLogName(number), kind: String(kind) };
}

/** Undefined where a document does not say where its log begins. */
function markOf(document: BaseDocument | null): Mark | undefined {
  const { log, after } = (document?.simulator ?? {}) as Partial<Mark>;
  return parseLogName(log) !== undefined && Number.isSafeInteger(after)
    ? (document?.simulator as Mark)
    : undefined;
}

/** A document as it was given to the store. */
function withoutMark(document: BaseDocument): unknown {
  const {
    log: _log,
    after: _after,
    checksum: _checksum,
    ...simulator
  } = (document.simulator ?? {}) as Record<string, unknown>;
  return document.simulator === undefined ? document : { ...document, simulator };
}
