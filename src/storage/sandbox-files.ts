/** The files of one sandbox in a folder: its base document, and the logs of later changes. */
import { rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Low } from "lowdb";
import { hasCode } from "../kernel/errors.js";
import { UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { formatProblems, refuseOther } from "./base-document.js";
import { DocumentFile, damaged, syncFolder } from "./document-file.js";
import type { FolderLock } from "./folder-lock.js";
import type { LogName } from "./log-file.js";
import { compareLogNames, LogFile, logNameText, parseLogName, readLog } from "./log-file.js";
import { type BaseDocument, type Stored, Vanished } from "./port.js";

/** Where the log of a base document begins. */
interface Mark {
  readonly log: LogName;
  /** The sandbox that the log belongs to, among all that ever had its id. */
  readonly incarnation: string;
  /** The number of the last entry that the document includes. */
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
  /** The logs in the folder at the start, oldest first. */
  found: LogName[] = [];
  #seq = 0;
  /** Identifies the sandbox among all that ever had its id. */
  #incarnation: string | undefined;
  /** The logs since the base document, oldest first; the last one is appended to. */
  #logs: LogFile[] = [];
  /** The log with which the next base document begins. */
  #mark: LogFile | undefined;
  #parts = 0;
  readonly #id: string;
  readonly #context: FilesContext;

  constructor(id: string, context: FilesContext) {
    this.#id = id;
    this.#context = context;
    const path = this.#path("json");
    const unfinished = `${path}.${context.lock.fence}.new`;
    this.document = new DocumentFile(path, unfinished, () => this.#checkReplacement());
  }

  /** @throws UnusableDocument if something is damaged */
  async open(): Promise<Stored> {
    const { mark, kept, isChanged } = await this.#read();
    const entries: unknown[] = [];
    this.#seq = mark.after;
    this.#incarnation = mark.incarnation;
    const names = [mark.log];
    for (const name of names) {
      const log = new LogFile(this.#logPath(name), name, this.#seq);
      const { texts, torn, next, problem } = await readLog(log.path, this.#seq + 1, mark.incarnation);
      if (problem !== undefined) throw problem;
      log.isTorn = torn > 0;
      const { path } = log;
      if (log.isTorn)
        this.#context.tell(`${path}: ignored ${torn} bytes of an unfinished entry at its end`, { path });
      log.length = texts.reduce((sum, text) => sum + text.length, 0);
      this.#seq += texts.length;
      for (const text of texts) entries.push(JSON.parse(text));
      this.#logs.push(log);
      if (next !== undefined) names.push(next);
    }
    const last = this.#logs.at(-1);
    const [unnamed] = last === undefined ? [] : await this.#withEntries(this.#logsFrom(last.name).slice(1));
    if (last !== undefined && unnamed !== undefined)
      throw damaged(last.path, undefined, `lacks its last line, which names ${logNameText(unnamed)}`);
    if (!isChanged) return { ...kept, entries };
    const damage = damaged(kept.name, undefined, "was changed: its checksum does not match");
    return { ...kept, entries, damage };
  }

  /** The base document, and where its logs begin. @throws UnusableDocument if it is unreadable */
  async #read() {
    const { path } = this.document;
    const low = new Low<BaseDocument>(this.document, NO_DOCUMENT);
    await low.read();
    const { data } = low;
    if (data === NO_DOCUMENT)
      throw damaged(path, undefined, `is missing${this.found.length > 0 ? ", but its log exists" : ""}`);
    const problems = formatProblems(data);
    if (problems.length > 0) throw new UnusableDocument(problems.map((one) => ({ file: path, ...one })));
    const mark = markOf(data);
    if (mark === undefined) {
      const message = "must be the name of a log: is this really a sandbox's base document?";
      throw new UnusableDocument([{ file: path, path: "simulator.log", message }]);
    }
    refuseOther(data, this.#id, path);
    const kept = { name: path, base: withoutMark(data) };
    return { mark, kept, isChanged: !this.document.isSealed };
  }

  /** The logs that were found, from this one on, oldest first. */
  #logsFrom(first: LogName): LogName[] {
    return this.found.filter((name) => compareLogNames(name, first) >= 0);
  }

  /** Those that have entries: a process may have stopped before anything referred to its new log. */
  async #withEntries(names: readonly LogName[]): Promise<LogName[]> {
    const used: LogName[] = [];
    for (const name of names) if (await hasEntries(this.#logPath(name))) used.push(name);
    return used;
  }

  async append(text: string): Promise<void> {
    const { isStrict, lock } = this.#context;
    let log = this.#logs.at(-1);
    if (log === undefined || log.name.fence !== lock.fence || log.isTorn) {
      // A process that has lost the folder creates nothing in it.
      await lock.prove();
      log = this.#newLog();
    }
    await log.begin();
    await log.append(this.#seq + 1, text, isStrict);
    // Only what was written before the folder could be taken over is acknowledged.
    if (isStrict)
      await this.look().catch((error: unknown) => {
        log.isTorn = true;
        throw error;
      });
    this.#seq += 1;
  }

  /** Whether its files are among those of the folder with these names. */
  isIn(names: ReadonlySet<string>): boolean {
    const log = this.#logs.at(-1);
    const paths = [this.document.path, ...(log?.isOpen ? [log.path] : [])];
    return !this.isKept || paths.every((path) => names.has(basename(path)));
  }

  /** @throws Vanished if its files are gone; Error if another process has taken the folder over */
  async look(): Promise<void> {
    const { path } = this.document;
    const [isThere] = await Promise.all([
      isFile(path),
      this.#context.lock.prove(),
      this.#logs.at(-1)?.look(),
    ]);
    if (!isThere) throw new Vanished(`${path} was removed`);
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
    const { incarnation, name, after } = mark;
    const begins = { log: logNameText(name), after, incarnation };
    const data = { ...rest, simulator: { ...(simulator as object), ...begins } };
    try {
      await new Low<BaseDocument>(this.document, data).write();
    } catch (error) {
      await this.#giveUpReplacement().catch(() => {});
      throw error;
    }
    this.isKept = true;
    await syncFolder(this.#context.folder);
    for (const log of this.#logs.splice(0, this.#logs.indexOf(mark))) await log.remove();
    await this.#removeFound();
  }

  /** A document's log exists before it, and no other process owns the folder. */
  async #checkReplacement(): Promise<void> {
    const mark = this.#mark;
    if (mark === undefined) return;
    await this.#context.lock.prove();
    await mark.begin().catch((error: unknown) => {
      // Once the document is in place, earlier logs are never read.
      if (!hasCode(error, "ENOENT")) throw error;
      mark.previous = undefined;
      return mark.begin();
    });
    await mark.look();
    await this.#context.lock.prove();
  }

  async #giveUpReplacement(): Promise<void> {
    if (!this.isKept) {
      // A log without a document would be taken for a sandbox whose document is lost.
      for (const log of this.#logs.splice(0)) await log.remove();
      this.#mark = undefined;
    }
    await rm(this.document.unfinished, { force: true });
  }

  /** Deletes everything: a marker first, in case the process stops in between. */
  async remove(): Promise<void> {
    const { folder, lock } = this.#context;
    const marker = this.#path(`${lock.fence}.removed`);
    if (await isFile(this.document.path)) {
      await lock.prove();
      try {
        await writeFile(marker, "", { mode: 0o600 });
        await syncFolder(folder);
        await lock.prove();
      } catch (error) {
        await rm(marker, { force: true }).catch(() => {});
        throw error;
      }
    }
    this.isKept = false;
    await rm(this.document.path, { force: true });
    for (const log of this.#logs) await log.remove();
    await this.#removeFound();
    await rm(marker, { force: true });
    await syncFolder(folder).catch(() => {});
  }

  async #removeFound(): Promise<void> {
    for (const name of this.found.splice(0)) await rm(this.#logPath(name), { force: true });
  }

  async close(): Promise<void> {
    for (const log of this.#logs) await log.end(log === this.#logs.at(-1) ? this.#seq + 1 : undefined);
  }

  #path(end: string): string {
    return join(this.#context.folder, `${nameOf(this.#id)}.${end}`);
  }

  #logPath(name: LogName): string {
    return this.#path(`${logNameText(name)}.log`);
  }

  #newLog(): LogFile {
    this.#parts += 1;
    this.#incarnation ??= secretToken();
    const name = { fence: this.#context.lock.fence, part: this.#parts };
    const log = new LogFile(this.#logPath(name), name, this.#seq, this.#incarnation, this.#logs.at(-1));
    this.#logs.push(log);
    return log;
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Whether a log has more than a first line: its process may have stopped before anything referred to it. */
export async function hasEntries(path: string): Promise<boolean> {
  const { texts, problem } = await readLog(path, 1);
  return texts.length > 0 || problem !== undefined;
}

/** File names that differ in more than case, for case-insensitive file systems. */
const nameOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `=${letter}`);
const idOf = (name: string): string => name.replaceAll("=", "");

/** The kind of a file in the folder: `ID.json`, `ID.N.log`, `ID.N.removed`, `ID.json.new` or `ID.json.N.new`. */
export function splitName(name: string): { id?: string; log?: LogName | undefined; kind?: string } {
  const [, id, number, kind] = /^([^.]+)(?:\.json)?(?:\.([\d.]+))?\.(json|log|removed|new)$/.exec(name) ?? [];
  return id === undefined ? {} : { id: idOf(id), log: parseLogName(number), kind: String(kind) };
}

const NO_DOCUMENT: BaseDocument = {};

/** Undefined if it is not a document of a store. */
function markOf({ simulator }: BaseDocument): Mark | undefined {
  const { log, after, incarnation } = (simulator ?? {}) as Record<string, unknown>;
  const name = parseLogName(log);
  if (name === undefined || !Number.isSafeInteger(after)) return undefined;
  return { log: name, after: Number(after), incarnation: incarnation as string };
}

const MARKS = ["log", "after", "incarnation", "checksum"];

/** A document as it was passed to the store. */
function withoutMark({ simulator, ...state }: BaseDocument): unknown {
  const fields = Object.entries(simulator as object).filter(([name]) => !MARKS.includes(name));
  return { ...state, simulator: Object.fromEntries(fields) };
}
