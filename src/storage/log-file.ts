import { constants, type FileHandle, open, rm, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { UnusableDocument } from "../kernel/problems.js";
import { contentOf, damaged, syncFolder } from "./document-file.js";
import { Vanished } from "./port.js";

/** A line consists of its checksum in eight hex digits, its sequence number and its text, separated by spaces. */
const SUM_LENGTH = 8;
const NEW_LINE = 0x0a;
const OWNER_ONLY = 0o600;
/** Matches a line that was only partly written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none, so such a line was damaged
const UNFINISHED = /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} [^\x00-\x1f]*)$/;

const hexOf = (sum: number): string => sum.toString(16).padStart(SUM_LENGTH, "0");

/** Checksums start from the file's name: lines of another file do not match. */
const seedOf = (path: string): number => crc32(basename(path));

/** The text of a line after its checksum; undefined if they do not match. */
function textOf(line: Buffer, seed: number): string | undefined {
  const bytes = line.subarray(SUM_LENGTH + 1);
  const isWhole = line.toString("latin1", 0, SUM_LENGTH + 1) === `${hexOf(crc32(bytes, seed))} `;
  return isWhole ? bytes.toString() : undefined;
}

/** The name of a log: its owner's fencing number, and its index among that owner's logs. */
export interface LogName {
  readonly fence: number;
  readonly part: number;
}

/** Its form in file names: `3`, or `3.2` for an owner's second log. */
export const logNameText = ({ fence, part }: LogName): string =>
  part === 1 ? `${fence}` : `${fence}.${part}`;

/** Undefined if the text is not a name. */
export function parseLogName(text: unknown): LogName | undefined {
  const [, fence, part = "1"] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(String(text)) ?? [];
  return fence === undefined ? undefined : { fence: Number(fence), part: Number(part) };
}

/** Negative if `a` is older than `b`. */
export const compareLogNames = (a: LogName, b: LogName): number => a.fence - b.fence || a.part - b.part;

/** A line that is not an entry: the first one; or the last one, after which entries belong to the log `next`. */
interface Control {
  readonly incarnation?: string;
  readonly next?: string;
  readonly after?: number;
}

/**
 * A log that this process started, or has read and continues in another. Files are only appended to, never changed or
 * truncated: a process that lost the folder without noticing cannot harm what its successor wrote.
 */
export class LogFile {
  /** The total length of its entries, in characters. */
  length = 0;
  /** It may end with an incomplete line. */
  isTorn = false;
  #handle: FileHandle | undefined;
  #isCreated = false;
  #beginning: Promise<void> | undefined;

  /** `after`: the number of the entry before its first. */
  constructor(
    readonly path: string,
    readonly name: LogName,
    readonly after: number,
    readonly incarnation = "",
    /** The log that it continues, until that names it. */
    public previous?: LogFile,
  ) {}

  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** Creates the file and names it in the previous log, once. @throws the system error */
  begin(): Promise<void> {
    this.#beginning ??= this.#begin().catch((error: unknown) => {
      this.#beginning = undefined;
      throw error;
    });
    return this.#beginning;
  }

  async #begin(): Promise<void> {
    if (!this.#isCreated) await this.#create();
    this.#isCreated = true;
    const link: Control = { next: logNameText(this.name), after: this.after };
    if (this.previous !== undefined) await this.previous.#add(this.after + 1, JSON.stringify(link));
    this.previous = undefined;
  }

  /** Nothing names the file before its first line is on disk. */
  async #create(): Promise<void> {
    await this.#open(constants.O_CREAT | constants.O_EXCL);
    try {
      const first: Control = { incarnation: this.incarnation };
      await this.#add(this.after, JSON.stringify(first));
      await syncFolder(dirname(this.path));
    } catch (error) {
      await this.remove();
      this.isTorn = false;
      throw error;
    }
  }

  /** Appends an entry; with `isSynced`, it is on disk when the promise resolves. @throws the system error */
  async append(seq: number, text: string, isSynced: boolean): Promise<void> {
    await this.#add(seq, text, isSynced);
    this.length += text.length;
  }

  /** Syncs and closes the file; `seq`: with a last line of this number, so that a missing one is detected later. */
  async end(seq?: number): Promise<void> {
    if (seq !== undefined && this.isOpen && !this.isTorn) await this.#add(seq, "{}").catch(() => {});
    await this.#handle?.datasync().catch(() => {});
    await this.#close();
  }

  async #add(seq: number, text: string, isSynced = true): Promise<void> {
    const handle = this.#handle ?? (await this.#open(0));
    const start = this.isTorn ? 1 : 0;
    const from = start + SUM_LENGTH + 1;
    const numbered = `${seq} ${text}`;
    // In one buffer: a text may be large.
    const bytes = Buffer.allocUnsafe(from + Buffer.byteLength(numbered) + 1);
    bytes[0] = NEW_LINE;
    bytes.write(numbered, from);
    bytes.write(`${hexOf(crc32(bytes.subarray(from, -1), seedOf(this.path)))} `, start, "latin1");
    bytes[bytes.length - 1] = NEW_LINE;
    this.isTorn = true;
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    if (isSynced) await handle.datasync();
    this.isTorn = false;
  }

  /** @throws Vanished if the path now leads to another file, or to none */
  async look(): Promise<void> {
    if (this.#handle === undefined) return;
    const [own, named] = await Promise.all([this.#handle.stat(), stat(this.path).catch(() => undefined)]);
    if (own.ino !== named?.ino || own.dev !== named.dev) throw new Vanished(`${this.path} was removed`);
  }

  async remove(): Promise<void> {
    await this.#close();
    await rm(this.path, { force: true });
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #open(flags: number): Promise<FileHandle> {
    this.#handle = await open(this.path, constants.O_WRONLY | constants.O_APPEND | flags, OWNER_ONLY);
    return this.#handle;
  }
}

/** A line of a log: an entry, a control line, or neither if it is damaged. */
interface Line {
  readonly number: number;
  /** Its first byte. */
  readonly at: number;
  readonly seq: number;
  readonly text?: string;
  readonly control?: Control;
}

/**
 * The lines of a log, and the size in bytes of an incomplete last one: the process or the machine stopped while writing it.
 * `isNamed`: its first line must name the sandbox.
 */
async function linesOf(
  path: string,
  first: number,
  isNamed: boolean,
): Promise<{ readonly lines: readonly Line[]; readonly torn: number }> {
  const bytes = await contentOf(path);
  if (bytes === undefined) throw damaged(path, undefined, "is missing, and it holds the latest changes");
  const seed = seedOf(path);
  const lines: Line[] = [];
  let at = 0;
  const nextLine = (): Line => ({ number: lines.length + 1, at, seq: first + lines.length });
  const read = (end: number): Line => {
    const whole = textOf(bytes.subarray(at, end), seed);
    if (whole === undefined) return nextLine();
    const space = whole.indexOf(" ");
    const line = { ...nextLine(), seq: Number(whole.slice(0, space)) };
    const text = whole.slice(space + 1);
    return text.startsWith("{") ? { ...line, control: JSON.parse(text) } : { ...line, text };
  };
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, at)) {
    lines.push(read(end));
    at = end + 1;
  }
  const rest = bytes.subarray(at);
  const isFirst = isNamed && lines.every(isDamaged);
  const isUnfinished =
    UNFINISHED.test(rest.toString("latin1")) && textOf(rest.subarray(0, -1), seed) === undefined;
  if (rest.length === 0 || (isUnfinished && !isFirst)) return { lines, torn: rest.length };
  return { lines: [...lines, nextLine()], torn: 0 };
}

const isDamaged = ({ text, control }: Line): boolean => text === undefined && control === undefined;

interface LogContent {
  /** The entries up to the first problem. */
  readonly texts: readonly string[];
  /** The size of an incomplete last line, in bytes. */
  readonly torn: number;
  /** The log that continues this one. */
  readonly next?: LogName | undefined;
  /** A line that is damaged, missing or misplaced. */
  readonly problem?: UnusableDocument | undefined;
}

/**
 * Reads a log whose first entry has the number `first`.
 *
 * @param incarnation the sandbox that it must belong to; default: any
 * @throws UnusableDocument if it cannot be read
 */
export async function readLog(path: string, first: number, incarnation?: string): Promise<LogContent> {
  const { lines, torn } = await linesOf(path, first, incarnation !== undefined);
  const [head] = lines;
  const isBegun = head?.control?.incarnation === incarnation && head?.seq === first - 1;
  if (incarnation !== undefined && !isBegun)
    return { texts: [], torn, problem: damaged(path, 1, "does not begin as the log of this sandbox") };
  const texts: string[] = [];
  let problem: UnusableDocument | undefined;
  let link: { readonly name: LogName; readonly after: number } | undefined;
  for (const line of lines) {
    const { number, at, seq, text, control } = line;
    const expected = first + texts.length;
    const name = parseLogName(control?.next);
    if (isDamaged(line)) problem ??= damaged(path, number, `is damaged here (byte ${at})`);
    else if (number === 1 && control?.incarnation !== undefined) continue;
    else if (name !== undefined && (link === undefined || compareLogNames(name, link.name) >= 0))
      link = { name, after: seq - 1 };
    else if (name === undefined && seq !== expected)
      problem ??= damaged(path, number, `has the entry ${seq} here, but ${expected} was expected`);
    else if (problem === undefined && text !== undefined) texts.push(text);
  }
  if (link === undefined) return { texts, torn, problem };
  // What a process wrote after another had taken the folder over was never acknowledged.
  const counted = link.after - first + 1;
  if (counted >= 0 && counted <= texts.length)
    return { texts: texts.slice(0, counted), torn, next: link.name };
  const last = first + texts.length - 1;
  problem ??= damaged(path, lines.length, `ends with entry ${last}, but the last one was ${link.after}`);
  return { texts, torn, problem };
}
