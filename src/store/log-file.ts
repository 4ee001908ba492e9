import type { FileHandle } from "node:fs/promises";
import { constants, open, readFile, stat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { UnusableDocument } from "../kernel/problems.js";
import { monotonicNow } from "../kernel/realtime.js";

/** A line is the checksum of its text in eight hex digits, a space and the text. */
const SUM_LENGTH = 8;
const NEW_LINE = 0x0a;

const sumOf = (bytes: Buffer): string => `${crc32(bytes).toString(16).padStart(SUM_LENGTH, "0")} `;

/** All in one buffer: a text may be large. */
function lineOf(text: string): Buffer {
  const from = SUM_LENGTH + 1;
  const line = Buffer.allocUnsafe(from + Buffer.byteLength(text) + 1);
  line.write(text, from);
  line.write(sumOf(line.subarray(from, -1)), "latin1");
  line[line.length - 1] = NEW_LINE;
  return line;
}

/** The text of a line; undefined where the line is not as it was written. */
function textOf(line: Buffer): string | undefined {
  const bytes = line.subarray(SUM_LENGTH + 1);
  const sum = line.toString("latin1", 0, SUM_LENGTH + 1);
  return sum === sumOf(bytes) ? bytes.toString() : undefined;
}

/** The file was taken away while it was open. */
class Vanished extends Error {
  readonly code = "ENOENT";

  constructor(readonly path: string) {
    super(`${path} was removed`);
  }
}

/** What a log file holds. */
interface LogContent {
  readonly texts: readonly string[];
  /** How many bytes of it are whole lines. */
  readonly length: number;
  /** How many bytes after them are not. */
  readonly torn: number;
}

/** With what tells whether it is still the file under its path. */
interface Opened {
  readonly handle: FileHandle;
  readonly ino: number;
  readonly dev: number;
}

/**
 * Whether the file was removed is looked at so often, ms: looking costs more than adding. Until then what was added to a file that
 * is gone is as little on the disk as what waits in memory, for which the same time is promised.
 */
const LOOK_AFTER_MS = 80;

/** A file to whose end lines are added. What an unfinished addition leaves is cut off before the next one. */
export class LogFile {
  #opened: Opened | undefined;
  /** When it was last seen under its path, ms of monotonic time. */
  #lookedAt = 0;
  #length: number;
  #isTorn: boolean;

  /** `length` bytes are whole lines; `isTorn`: the file may be longer. */
  constructor(
    readonly path: string,
    { length = 0, isTorn = false } = {},
  ) {
    this.#length = length;
    this.#isTorn = isTorn;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a line; with `sync` it is on the disk when the promise resolves. @throws the system's error */
  async append(text: string, { sync }: { readonly sync: boolean }): Promise<void> {
    const bytes = lineOf(text);
    try {
      const handle = await this.#open(sync);
      if (this.#isTorn) await handle.truncate(this.#length);
      this.#isTorn = true;
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
      if (sync) await handle.datasync();
    } catch (error) {
      await this.close().catch(() => {});
      throw error;
    }
    this.#length += bytes.length;
    this.#isTorn = false;
  }

  /** Writes what the system still holds of it to the disk. @throws the system's error */
  async sync(): Promise<void> {
    await this.#opened?.handle.datasync();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
  }

  /** A file that has lines is never made anew: whoever reads it would miss them. @throws Vanished */
  async #open(mustLook: boolean): Promise<FileHandle> {
    if (this.#opened !== undefined) {
      if (mustLook || monotonicNow() - this.#lookedAt >= LOOK_AFTER_MS) await this.#look(this.#opened);
      return this.#opened.handle;
    }
    const create = this.#length === 0 ? constants.O_CREAT : 0;
    const handle = await open(this.path, constants.O_WRONLY | constants.O_APPEND | create);
    const { ino, dev } = await handle.stat();
    this.#opened = { handle, ino, dev };
    this.#lookedAt = monotonicNow();
    return handle;
  }

  async #look({ ino, dev }: Opened): Promise<void> {
    const named = await stat(this.path).catch(() => undefined);
    if (ino !== named?.ino || dev !== named.dev) throw new Vanished(this.path);
    this.#lookedAt = monotonicNow();
  }
}

/**
 * Reads a log. An unfinished last line is left out: the process or the machine stopped while it was written.
 *
 * @throws UnusableDocument where a line before the last one is damaged
 */
export async function readLog(path: string): Promise<LogContent> {
  const bytes = await readFile(path);
  const texts: string[] = [];
  let length = 0;
  for (;;) {
    const end = bytes.indexOf(NEW_LINE, length);
    const text = end < 0 ? undefined : textOf(bytes.subarray(length, end));
    if (text === undefined) break;
    texts.push(text);
    length = end + 1;
  }
  if (hasWholeLine(bytes, length)) throw damaged(path, texts.length + 1, length);
  return { texts, length, torn: bytes.length - length };
}

/** Whether a whole line comes after the one that begins at a place. */
function hasWholeLine(bytes: Buffer, from: number): boolean {
  for (let end = bytes.indexOf(NEW_LINE, from); end >= 0; ) {
    const start = end + 1;
    end = bytes.indexOf(NEW_LINE, start);
    if (end >= 0 && textOf(bytes.subarray(start, end)) !== undefined) return true;
  }
  return false;
}

const damaged = (file: string, line: number, byte: number): UnusableDocument =>
  new UnusableDocument([
    {
      file,
      line,
      column: 1,
      path: "",
      message: `is damaged here (byte ${byte}), and good lines follow: restore the file from a copy, or cut it off before this line to give up what came after`,
    },
  ]);
