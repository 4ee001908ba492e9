/** The file of a recording: a valid HAR at any time, and sorted at the end. */
import { constants } from "node:fs";
import { copyFile, open, readFile, rename, writeFile } from "node:fs/promises";
import { BOUNDS } from "../../kernel/bounds.js";
import { type Later, later, monotonicNow, nextTurn } from "../../kernel/realtime.js";
import { type Har, harOf } from "./har.js";
import type { RecordedEntry, Redactor } from "./redact.js";

/** Only the owner may read recordings. */
const MODE = 0o600;
const [HEAD = "", TAIL = ""] = JSON.stringify(harOf([])).split("]");
const BEGINNING = `${HEAD}\n`;
const END = `\n]${TAIL}\n`;
/** The minimum interval between writes of the file. */
const WRITE_EVERY_MS = 1_000;
const REDACTED_AT_ONCE = 50;

/**
 * Accepts redacted entries only. Each change replaces the file with a longer copy, so that no reader ever sees a partial entry,
 * and a kill loses at most the last second.
 */
export class HarFile {
  readonly #pending: string[] = [];
  /** The start order of each entry, by its position in the file. */
  readonly #begun: number[] = [];
  #bytes = Buffer.byteLength(BEGINNING) + Buffer.byteLength(END);
  #written = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #next: Later | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    readonly onError: (error: unknown) => void,
  ) {}

  /** Creates an empty file, replacing an existing one. @throws the system error */
  static async create(path: string, onError: (error: unknown) => void): Promise<HarFile> {
    const file = new HarFile(path, onError);
    await file.#replace(BEGINNING + END);
    return file;
  }

  get entries(): number {
    return this.#begun.length;
  }

  /** Adds an entry; false if the file is full. `begun`: the sort key at the end. */
  add(entry: RecordedEntry, begun: number): boolean {
    const text = JSON.stringify(entry);
    const bytes = Buffer.byteLength(text) + 2;
    if (this.#bytes + bytes > BOUNDS.recordingBytes.limit) return false;
    if (this.#begun.length >= BOUNDS.recordingEntries.limit) return false;
    this.#bytes += bytes;
    this.#begun.push(begun);
    this.#pending.push(text);
    this.#next ??= later(this.#writtenAt + WRITE_EVERY_MS - monotonicNow(), () => void this.#write());
    return true;
  }

  /** Writes the rest, sorts the entries by their start, and redacts what later entries have revealed to be private. */
  async close(redactor: Redactor): Promise<void> {
    this.#next?.cancel();
    await this.#write();
    const { log } = JSON.parse(await readFile(this.path, "utf8")) as Har;
    const order = [...log.entries.keys()].sort((a, b) => (this.#begun[a] ?? 0) - (this.#begun[b] ?? 0));
    const texts: string[] = [];
    for (const [count, at] of order.entries()) {
      const entry = log.entries[at];
      if (entry !== undefined) texts.push(JSON.stringify(redactor.redactAgain(entry)));
      if (count % REDACTED_AT_ONCE === 0) await nextTurn();
    }
    await this.#replace(BEGINNING + texts.join(",\n") + END);
  }

  #write(): Promise<void> {
    this.#next = undefined;
    this.#writing = this.#writing.then(() => this.#append()).catch(this.onError);
    return this.#writing;
  }

  async #append(): Promise<void> {
    const taken = this.#pending.length;
    if (taken === 0) return;
    this.#writtenAt = monotonicNow();
    const text = this.#pending.join(",\n");
    const temporary = `${this.path}.tmp`;
    await copyFile(this.path, temporary, constants.COPYFILE_FICLONE);
    const file = await open(temporary, "r+");
    try {
      const { size } = await file.stat();
      const start = size - Buffer.byteLength(END);
      await file.write(`${this.#written === 0 ? "" : ",\n"}${text}${END}`, start);
    } finally {
      await file.close();
    }
    await rename(temporary, this.path);
    this.#pending.splice(0, taken);
    this.#written += taken;
  }

  async #replace(text: string): Promise<void> {
    const temporary = `${this.path}.tmp`;
    await writeFile(temporary, text, { mode: MODE });
    await rename(temporary, this.path);
  }
}
