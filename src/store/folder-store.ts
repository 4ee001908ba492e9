import { copyFile, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Low } from "lowdb";
import { UnusableDocument } from "../kernel/problems.js";
import { DocumentFile, syncFolder } from "./document-file.js";
import { FolderLock } from "./folder-lock.js";
import { LogFile, readLog } from "./log-file.js";
import type { BaseDocument, Durability, Store, Stored } from "./port.js";

const DOCUMENTS = "sandboxes";
/** Is told of what was found in the folder and left out. */
type Tell = (message: string, where: object) => void;

/** What a base document says of its log. */
interface Generation {
  readonly generation: number;
}

/** What is kept under one id. */
interface Entry {
  readonly document: DocumentFile<BaseDocument>;
  /** The generation of the base document. */
  base: number;
  /** The logs since, oldest first. */
  logs: { readonly generation: number; readonly file: LogFile }[];
  /** The generations of log files that were there at the start and are not read yet, oldest first. */
  unread: number[];
}

/**
 * A folder: for each id one JSON document, `sandboxes/ID.json`, and the log of what came after it, `sandboxes/ID.N.log`, N being
 * the document's generation. One process at a time uses it.
 */
export class FolderStore implements Store {
  readonly location: string;
  readonly logBytes = 16 * 1024 * 1024;
  readonly #lock: FolderLock;
  readonly #isStrict: boolean;
  readonly #tell: Tell;
  readonly #entries = new Map<string, Entry>();
  /** The names of the files that were there at the start. */
  readonly #found: readonly string[];

  private constructor(
    path: string,
    lock: FolderLock,
    durability: Durability,
    tell: Tell,
    found: readonly string[],
  ) {
    this.location = path;
    this.#lock = lock;
    this.#isStrict = durability === "strict";
    this.#tell = tell;
    this.#found = found;
    for (const name of found) {
      const [, id = "", generation] = /^(.*)\.(\d+)\.log$/.exec(name) ?? [];
      if (generation !== undefined) this.#entry(idOf(id)).unread.push(Number(generation));
    }
    for (const { unread } of this.#entries.values()) unread.sort((a, b) => a - b);
  }

  /** Makes the folder where there is none. @throws UnusableDocument where another process uses it; the system's error */
  static async open(path: string, durability: Durability, tell: Tell): Promise<FolderStore> {
    await makeFolder(join(path, DOCUMENTS));
    const lock = await FolderLock.take(path);
    return new FolderStore(path, lock, durability, tell, await readdir(join(path, DOCUMENTS)));
  }

  async list(): Promise<string[]> {
    return this.#found
      .filter((name) => name.endsWith(".json"))
      .map((name) => idOf(name.slice(0, -".json".length)));
  }

  async open(id: string): Promise<Stored> {
    const entry = this.#entry(id);
    const low = new Low<BaseDocument>(entry.document, {});
    await low.read();
    const { generation } = generationOf(low.data, entry.document.path);
    entry.base = generation;
    const entries: unknown[] = [];
    for (const found of entry.unread.splice(0)) {
      if (found < generation) await rm(this.#logPath(id, found), { force: true });
      else entries.push(...(await this.#readLog(id, found)));
    }
    return { name: entry.document.path, base: low.data, entries };
  }

  async append(id: string, text: string): Promise<void> {
    this.#lock.check();
    const { logs } = this.#entry(id);
    const last = logs.at(-1) ?? this.#newLog(id);
    await last.file.append(text, { sync: this.#isStrict });
  }

  sizeOf(id: string): { log: number; base: number } {
    const { logs, document } = this.#entry(id);
    return { log: logs.reduce((sum, { file }) => sum + file.length, 0), base: document.size };
  }

  rotate(id: string): void {
    const { logs, base } = this.#entry(id);
    this.#newLog(id, (logs.at(-1)?.generation ?? base) + 1);
  }

  async compact(id: string, base: BaseDocument): Promise<void> {
    this.#lock.check();
    const entry = this.#entry(id);
    const generation = entry.logs.at(-1)?.generation ?? entry.base;
    await makeFolder(this.#path());
    await this.#dropUnread(id);
    for (const { file } of entry.logs) await file.sync();
    const { simulator, ...rest } = base;
    const low = new Low<BaseDocument>(entry.document, {
      ...rest,
      simulator: { generation, ...(simulator as object) },
    });
    await low.write();
    entry.base = generation;
    const old = entry.logs.filter((log) => log.generation < generation);
    entry.logs = entry.logs.filter((log) => log.generation >= generation);
    for (const { file } of old) {
      await file.close();
      await rm(file.path, { force: true });
    }
  }

  async copy(id: string, label: string): Promise<string> {
    const folder = join(this.location, label);
    await makeFolder(folder);
    const { document, logs } = this.#entry(id);
    for (const path of [document.path, ...logs.map(({ file }) => file.path)])
      await copySynced(path, join(folder, basename(path)));
    await syncFolder(folder);
    return folder;
  }

  async remove(id: string): Promise<void> {
    await this.#dropUnread(id);
    const { document, logs } = this.#entry(id);
    this.#entries.delete(id);
    for (const { file } of logs) await file.close();
    // The document first: logs without one are what a removal left that was interrupted.
    await rm(document.path, { force: true });
    for (const { file } of logs) await rm(file.path, { force: true });
    await syncFolder(this.#path());
  }

  async close(): Promise<void> {
    for (const { logs } of this.#entries.values())
      for (const { file } of logs) {
        await file.sync().catch(() => {});
        await file.close();
      }
    await this.#lock.release();
  }

  #path(name = ""): string {
    return join(this.location, DOCUMENTS, name);
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const document = new DocumentFile<BaseDocument>(this.#path(`${nameOf(id)}.json`));
    const entry: Entry = { document, base: 0, logs: [], unread: [] };
    this.#entries.set(id, entry);
    return entry;
  }

  #newLog(id: string, generation = this.#entry(id).base): Entry["logs"][number] {
    const log = { generation, file: new LogFile(this.#logPath(id, generation)) };
    this.#entry(id).logs.push(log);
    return log;
  }

  #logPath(id: string, generation: number): string {
    return this.#path(`${nameOf(id)}.${generation}.log`);
  }

  /** Removes the logs that nobody has read: a removal that was interrupted has left them. */
  async #dropUnread(id: string): Promise<void> {
    for (const generation of this.#entry(id).unread.splice(0))
      await rm(this.#logPath(id, generation), { force: true });
  }

  async #readLog(id: string, generation: number): Promise<unknown[]> {
    const path = this.#logPath(id, generation);
    const { texts, length, torn } = await readLog(path);
    if (torn > 0)
      this.#tell(`${path}: left out ${torn} bytes at its end, which were not written to the end`, { path });
    this.#entry(id).logs.push({ generation, file: new LogFile(path, { length, isTorn: torn > 0 }) });
    return texts.map((text) => JSON.parse(text));
  }
}

/** Makes a folder, and those around it; one that is there stays. */
async function makeFolder(path: string): Promise<void> {
  // Not `recursive`, which never ends where the system says of a folder that is there that it is not, as /proc does.
  const error = await mkdir(path).then(
    () => undefined,
    (reason: NodeJS.ErrnoException) => reason,
  );
  if (error === undefined || (error.code === "EEXIST" && (await stat(path)).isDirectory())) return;
  const around = dirname(path);
  if (error.code !== "ENOENT" || around === path) throw error;
  await makeFolder(around);
  await mkdir(path);
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

/** Names of files that differ in more than the case of their letters, for systems that do not tell the two apart. */
const nameOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `=${letter}`);
const idOf = (name: string): string => name.replaceAll("=", "");

/** @throws UnusableDocument where a document is none of a store */
function generationOf({ simulator }: BaseDocument, file: string): Generation {
  const generation = (simulator as Partial<Generation> | undefined)?.generation;
  if (Number.isSafeInteger(generation)) return { generation: generation as number };
  throw new UnusableDocument([
    {
      file,
      path: "simulator.generation",
      message: "must be an integer: is this the base document of a sandbox?",
    },
  ]);
}
