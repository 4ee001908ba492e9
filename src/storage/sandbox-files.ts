/** The files of one sandbox in a folder: its base document, and the logs of later changes. */
import { copyFile, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Low } from "lowdb";
import { hasCode } from "../kernel/errors.js";
import { UnusableDocument } from "../kernel/problems.js";
import { monotonicNow } from "../kernel/realtime.js";
import { DocumentFile, syncFolder } from "./document-file.js";
import type { FolderLock } from "./folder-lock.js";
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
import type { BaseDocument, Stored } from "./port.js";

/** With `batched`, how often ownership and existence of the files are checked, ms: checking costs more than appending. */
const LOOK_AFTER_MS = 80;

interface Mark {
  readonly log: string;
  readonly after: number;
}

export interface FilesContext {
  readonly folder: string;
  readonly lock: FolderLock;
  readonly isStrict: boolean;
  readonly tell: (message: string, where: object) => void;
}

export class SandboxFiles {
  readonly document: DocumentFile<BaseDocument>;
  isKept = false;
  /** The folder was deleted with it, and has been recreated. */
  isAway = false;
  found: LogName[] = [];
  /** The error of a check after an entry, with which the next entry fails. */
  trouble: Error | undefined;
  #seq = 0;
  /** The logs to read at a start, oldest first; the last one is appended to. */
  readonly #logs: LogFile[] = [];
  #mark: LogFile | undefined;
  #parts = 0;
  #lookedAt = 0;
  #isFailing = false;
  readonly #id: string;
  readonly #context: FilesContext;

  constructor(id: string, context: FilesContext) {
    this.#id = id;
    this.#context = context;
    const path = this.#path("json");
    const unfinished = `${path}.${context.lock.fence}.new`;
    const mayReplace = () => this.#checkReplacement();
    this.document = new DocumentFile(path, { unfinished, mayReplace });
  }

  /** A complete document of a stopped process is put in place if there is none. */
  async adopt(path: string): Promise<boolean> {
    if (this.isKept || this.found.length === 0) return false;
    const document = new DocumentFile<BaseDocument>(path);
    const log = parseLogName(markOf(await document.read().catch(() => null))?.log);
    if (log === undefined || !document.isSealed) return false;
    if (!this.found.some((found) => compareLogNames(found, log) === 0)) return false;
    await rename(path, this.document.path);
    this.isKept = true;
    return true;
  }

  /** @throws UnusableDocument if something is damaged */
  async open(): Promise<Stored> {
    const { data, mark, kept } = await this.#readBase("is missing, but its log exists");
    if (mark === undefined) return { ...kept, ...(await this.#openFormat1(data)) };
    const damage = this.document.isSealed
      ? undefined
      : damaged(kept.name, undefined, "was changed: its checksum does not match");
    const entries: unknown[] = [];
    this.#seq = mark.after;
    for (let name = parseLogName(mark.log); name !== undefined; ) {
      const log = this.#addLog(name, false);
      const { texts, torn, next } = await readLog(log.path, this.#seq + 1);
      log.isTorn = torn > 0;
      if (log.isTorn)
        this.#context.tell(`${log.path}: ignored ${torn} bytes of an unfinished entry at its end`, {
          path: log.path,
        });
      log.length = texts.reduce((sum, text) => sum + text.length, 0);
      this.#seq += texts.length;
      for (const text of texts) entries.push(JSON.parse(text));
      name = next;
    }
    await this.#refuseUnnamed();
    return { ...kept, entries, damage };
  }

  /**
   * What is readable regardless of damage, and what is not.
   *
   * @throws UnusableDocument if there is no readable document
   */
  async salvage(): Promise<{ readonly stored: Stored; readonly lost: readonly string[] }> {
    const { data, mark, kept } = await this.#readBase("is missing");
    if (mark === undefined) return { stored: { ...kept, ...(await this.#openFormat1(data)) }, lost: [] };
    const lost = this.document.isSealed
      ? []
      : [`${kept.name}: its checksum does not match; it is used as it is`];
    const entries: unknown[] = [];
    for (let name = parseLogName(mark.log); name !== undefined; ) {
      const path = this.#logPath(name);
      const seq = mark.after + entries.length + 1;
      const read = await salvageLog(path, seq).catch(() => undefined);
      for (const text of read?.texts ?? []) entries.push(JSON.parse(text));
      if (read === undefined) lost.push(`${path}: is missing, with everything after it`);
      else if (read.lost > 0)
        lost.push(
          `${path}: entry ${seq + read.texts.length} and ${read.lost - 1} after it, with everything later`,
        );
      name = read?.lost === 0 ? read.next : undefined;
    }
    return { stored: { ...kept, entries }, lost };
  }

  async #readBase(missing: string) {
    const { path } = this.document;
    const low = new Low<BaseDocument>(this.document, {});
    await low.read();
    if (!this.isKept) throw damaged(path, undefined, missing);
    const { data } = low;
    return { data, mark: markOf(data), kept: { name: path, base: withoutMark(data) } };
  }

  async #openFormat1(data: BaseDocument): Promise<Pick<Stored, "entries" | "damage">> {
    const { generation } = (data.simulator ?? {}) as { readonly generation?: unknown };
    if (!Number.isSafeInteger(generation)) {
      const message = "must be the name of a log: is this the base document of a sandbox?";
      const problem = { file: this.document.path, path: "simulator.log", message };
      return { entries: [], damage: new UnusableDocument([problem]) };
    }
    const entries: unknown[] = [];
    for (const name of this.found.filter(({ fence }) => fence >= Number(generation)))
      for (const text of await readLogOfFormat1(this.#addLog(name, false).path))
        entries.push(JSON.parse(text));
    return { entries };
  }

  /** A log must be named where the previous one ends. */
  async #refuseUnnamed(): Promise<void> {
    const last = this.#logs.at(-1);
    for (const name of this.found) {
      if (last === undefined || compareLogNames(name, last.name) <= 0) continue;
      const path = this.#logPath(name);
      if ((await stat(path)).size === 0) continue;
      throw damaged(last.path, undefined, `lacks its last line, which names ${basename(path)}`);
    }
  }

  async append(text: string): Promise<void> {
    const { trouble } = this;
    this.trouble = undefined;
    this.#isFailing ||= trouble !== undefined;
    if (trouble !== undefined) throw trouble;
    // If it already exists, its lines were never read by anybody.
    if (this.#isFailing) await this.#look();
    this.#isFailing = true;
    const { isStrict } = this.#context;
    let log = this.#logs.at(-1);
    if (log === undefined || !log.isOwn || log.isTorn) log = this.#newLog();
    await this.#begin(log);
    await log.append(this.#seq + 1, text, { sync: isStrict });
    // Only what was written before the folder could be taken over is acknowledged.
    if (isStrict)
      await this.#look().catch((error: unknown) => {
        log.isTorn = true;
        throw error;
      });
    this.#seq += 1;
    this.#isFailing = false;
    if (!isStrict) this.#lookBehind();
  }

  /** A check takes many steps: if the next entry waited for it, acknowledged changes would stay unwritten for longer than promised. */
  #lookBehind(): void {
    if (monotonicNow() - this.#lookedAt < LOOK_AFTER_MS) return;
    this.#lookedAt = monotonicNow();
    this.#look().catch((error: Error) => {
      this.trouble = error;
    });
  }

  async #look(): Promise<void> {
    const began = monotonicNow();
    const [isKept] = await Promise.all([
      isThere(this.document.path),
      this.#context.lock.prove(),
      this.#logs.at(-1)?.look(),
    ]);
    if (!isKept) await this.refuseMissing();
    this.#lookedAt = began;
  }

  /** @throws Vanished if the whole folder is gone, which is then recreated; otherwise Error with what to do */
  async refuseMissing(): Promise<never> {
    const { path } = this.document;
    if (this.isAway || !(await isThere(this.#context.folder))) throw new Vanished(path);
    throw new Error(`${path} was removed: restore it, or save the sandbox with messaging-sim state`);
  }

  get size(): { log: number; base: number } {
    return { log: this.#logs.reduce((sum, { length }) => sum + length, 0), base: this.document.size };
  }

  rotate(): void {
    this.#mark = this.#newLog();
  }

  async compact({ simulator, ...rest }: BaseDocument): Promise<void> {
    this.#mark ??= this.#newLog();
    const mark = this.#mark;
    const begins: Mark = { log: logNameText(mark.name), after: mark.after };
    const data = { ...rest, simulator: { ...(simulator as object), ...begins } };
    await new Low<BaseDocument>(this.document, data).write();
    this.isKept = true;
    this.isAway = false;
    this.trouble = undefined;
    for (const log of this.#logs.splice(0, this.#logs.indexOf(mark))) await log.remove();
    for (const name of this.found.splice(0)) await rm(this.#logPath(name), { force: true });
  }

  /** A document's log exists before it, and no other process owns the folder. */
  async #checkReplacement(): Promise<void> {
    const mark = this.#mark;
    if (mark === undefined) return;
    await this.#begin(mark).catch((error: unknown) => {
      // Once the document is in place, earlier logs are never read.
      if (!hasCode(error, "ENOENT")) throw error;
      return mark.begin(undefined);
    });
    await mark.look();
    await syncFolder(this.#context.folder);
    await this.#context.lock.prove();
  }

  async copyTo(folder: string): Promise<void> {
    for (const path of [this.document.path, ...this.#logs.map(({ path }) => path)])
      await copySynced(path, join(folder, basename(path)));
  }

  /** Marks everything as deleted, in case only a part of it is removed. */
  async markRemoved(): Promise<void> {
    const { folder, lock } = this.#context;
    try {
      await writeFile(this.#path(`${lock.fence}.removed`), "", { mode: 0o600 });
      await syncFolder(folder);
      await lock.prove();
    } catch (error) {
      // Without a folder there is nothing to delete.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  /** The document first: if the process stops in between, the marker says that the rest is to be deleted. */
  async removeFiles(): Promise<void> {
    const { folder } = this.#context;
    await rm(this.document.path, { force: true });
    for (const log of this.#logs) await log.remove();
    for (const name of this.found) await rm(this.#logPath(name), { force: true });
    for (const name of await readdir(folder).catch(() => [])) {
      const { id, kind } = splitName(name);
      if (id === this.#id && (kind === "removed" || kind === "new"))
        await rm(join(folder, name), { force: true });
    }
    await syncFolder(folder).catch(() => {});
  }

  async close(): Promise<void> {
    for (const log of this.#logs) {
      const isLast = log === this.#logs.at(-1);
      if (isLast && !log.isTorn && !this.#isFailing) await log.end(this.#seq + 1).catch(() => {});
      await log.sync().catch(() => {});
      await log.close();
    }
  }

  #path(end: string): string {
    return join(this.#context.folder, `${nameOf(this.#id)}.${end}`);
  }

  #logPath(name: LogName): string {
    return this.#path(`${logNameText(name)}.log`);
  }

  #addLog(name: LogName, isOwn: boolean): LogFile {
    const log = new LogFile(this.#logPath(name), name, this.#seq, isOwn);
    this.#logs.push(log);
    return log;
  }

  #newLog(): LogFile {
    this.#parts += 1;
    return this.#addLog({ fence: this.#context.lock.fence, part: this.#parts }, true);
  }

  #begin(log: LogFile): Promise<void> {
    return log.begin(this.#logs[this.#logs.indexOf(log) - 1]);
  }
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

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** File names that differ in more than case, for case-insensitive file systems. */
const nameOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `=${letter}`);
const idOf = (name: string): string => name.replaceAll("=", "");

/** The kind of a file in the folder: `ID.json`, `ID.N.log`, `ID.N.removed`, `ID.json.new` or `ID.json.N.new`. */
export function splitName(name: string): { id?: string; log?: LogName | undefined; kind?: string } {
  const [, id, number, kind] = /^([^.]+)(?:\.json)?(?:\.([\d.]+))?\.(json|log|removed|new)$/.exec(name) ?? [];
  return id === undefined ? {} : { id: idOf(id), log: parseLogName(number), kind: String(kind) };
}

function markOf(document: BaseDocument | null): Mark | undefined {
  const { log, after } = (document?.simulator ?? {}) as Partial<Mark>;
  return parseLogName(log) !== undefined && Number.isSafeInteger(after)
    ? (document?.simulator as Mark)
    : undefined;
}

/** A document as it was passed to the store. */
function withoutMark(document: BaseDocument): unknown {
  if (document.simulator === undefined) return document;
  const {
    log: _,
    after: _after,
    checksum: _sum,
    ...simulator
  } = document.simulator as Record<string, unknown>;
  return { ...document, simulator };
}
