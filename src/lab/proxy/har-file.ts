/** The file of a recording: a valid HAR at any time, redacted with all that is known to be private, and sorted at the end. */
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { BOUNDS } from "../../kernel/bounds.js";
import { type Later, later, monotonicNow, nextTurn } from "../../kernel/realtime.js";
import { type HarEntry, harOf } from "./har.js";
import type { LearnedEntry, RecordedEntry, Redactor } from "./redact.js";

/** Only the owner may read recordings. */
const MODE = 0o600;
const [HEAD = "", TAIL = ""] = JSON.stringify(harOf([])).split("]");
const BEGINNING = Buffer.from(`${HEAD}\n`);
const BETWEEN = Buffer.from(",\n");
const END = Buffer.from(`\n]${TAIL}\n`);
/** The minimum interval between writes of the file. */
const WRITE_EVERY_MS = 1_000;
/** How long calls wait for redaction at most. */
const SLICE_MS = 1;
/** How much longer than an entry its redacted form may be, since a token may be longer than its secret. */
const MARGIN = 64;

/** An entry as it is written. Only a redactor makes one. */
export const writtenForm = (entry: RecordedEntry): Buffer => Buffer.from(JSON.stringify(entry));

interface Held {
  readonly entry: LearnedEntry;
  /** Its rank by start. */
  readonly begun: number;
  letters?: string;
  written?: Buffer;
}

/**
 * Keeps the entries as they were seen, and redacts them when it writes them: a value that a later entry reveals to be private also
 * disappears from what was written before. Each write replaces the file, so that no reader ever sees a partial entry, and a kill
 * loses at most the last second.
 */
export class HarFile {
  readonly #held: Held[] = [];
  #bytes = BEGINNING.length + END.length;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #next: Later | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    readonly redactor: Redactor,
    readonly onError: (error: unknown) => void,
  ) {}

  /** Creates an empty file, replacing an existing one. @throws the system error, or why it cannot be replaced */
  static async create(path: string, redactor: Redactor, onError: (error: unknown) => void): Promise<HarFile> {
    const target = await realpath(path).catch(() => path);
    const isFile = await stat(target)
      .then((found) => found.isFile())
      .catch(() => true);
    if (!isFile) throw new Error("it is not a regular file");
    const file = new HarFile(target, redactor, onError);
    await file.#write();
    return file;
  }

  get entries(): number {
    return this.#held.length;
  }

  /** Adds an entry; false if the file is full. `begun`: the sort key at the end. */
  add(entry: HarEntry, begun: number): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(entry)) + MARGIN;
    if (this.#bytes + bytes > BOUNDS.recordingBytes.limit) return false;
    if (this.#held.length >= BOUNDS.recordingEntries.limit) return false;
    this.#bytes += bytes;
    this.#held.push({ entry: this.redactor.learn(entry), begun });
    this.#next ??= later(this.#writtenAt + WRITE_EVERY_MS - monotonicNow(), () => {
      this.#next = undefined;
      this.#writing = this.#writing.then(() => this.#write()).catch(this.onError);
    });
    return true;
  }

  /** Writes the rest, and sorts the entries by their start. */
  async close(): Promise<void> {
    this.#next?.cancel();
    await this.#writing;
    this.#held.sort((a, b) => a.begun - b.begun);
    await this.#write();
  }

  async #write(): Promise<void> {
    this.#writtenAt = monotonicNow();
    const written = await this.#redacted();
    const parts = written.flatMap((entry, at) => (at === 0 ? [entry] : [BETWEEN, entry]));
    const temporary = `${this.path}.tmp`;
    try {
      await writeFile(temporary, Buffer.concat([BEGINNING, ...parts, END]), { mode: MODE });
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The entries of this moment: redacted if they are new, and again if they have a value that was not known to be private. */
  async #redacted(): Promise<Buffer[]> {
    const news = this.redactor.takeNews();
    const written: Buffer[] = [];
    let since = monotonicNow();
    for (const held of [...this.#held]) {
      held.letters ??= held.entry.letters();
      if (held.written === undefined || news.areIn(held.letters))
        held.written = writtenForm(held.entry.redacted());
      written.push(held.written);
      if (monotonicNow() - since < SLICE_MS) continue;
      await nextTurn();
      since = monotonicNow();
    }
    return written;
  }
}
