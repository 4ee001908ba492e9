import type { FileHandle } from "node:fs/promises";
import { constants, open, readFile, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { UnusableDocument } from "../kernel/problems.js";
import { refuseSpecialFile } from "./document-file.js";

/** A line consists of its checksum in eight hex digits, its sequence number and its text, separated by spaces. */
const SUM_LENGTH = 8;
const NEW_LINE = 0x0a;
const OWNER_ONLY = 0o600;

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
  const [, fence, part = "1"] = /^(\d+)(?:\.(\d+))?$/.exec(String(text)) ?? [];
  return fence === undefined ? undefined : { fence: Number(fence), part: Number(part) };
}

/** Negative if `a` is older than `b`. */
export const compareLogNames = (a: LogName, b: LogName): number => a.fence - b.fence || a.part - b.part;

/** Ends a log: entries after `after` do not count, and later ones are in the log `next`. */
interface Link {
  readonly next: string;
  readonly after: number;
}

/** A file was deleted while the process was using it. */
export class Vanished extends Error {
  readonly code = "ENOENT";

  constructor(path: string) {
    super(`${path} was removed`);
  }
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
    /** Whether entries can be appended. */
    readonly isOwn: boolean,
  ) {}

  /** Creates the file and names it in the previous log, once. @throws the system error */
  begin(previous: LogFile | undefined): Promise<void> {
    this.#beginning ??= this.#begin(previous).catch((error: unknown) => {
      this.#beginning = undefined;
      throw error;
    });
    return this.#beginning;
  }

  async #begin(previous: LogFile | undefined): Promise<void> {
    if (!this.#isCreated) await this.#open(constants.O_CREAT | constants.O_EXCL);
    this.#isCreated = true;
    const link: Link = { next: logNameText(this.name), after: this.after };
    await previous?.add(this.after + 1, JSON.stringify(link), { sync: true });
  }

  /** Appends an entry. @throws the system error */
  async append(seq: number, text: string, { sync }: { readonly sync: boolean }): Promise<void> {
    await this.add(seq, text, { sync });
    this.length += text.length;
  }

  /** Marks the log as closed, so that a missing last line is detected later. */
  async end(seq: number): Promise<void> {
    if (this.#handle !== undefined) await this.add(seq, "{}", { sync: true });
  }

  /** Appends a line; with `sync`, it is on disk when the promise resolves. @throws the system error */
  async add(seq: number, text: string, { sync }: { readonly sync: boolean }): Promise<void> {
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
    if (sync) await handle.datasync();
    this.isTorn = false;
  }

  /** @throws Vanished if the path now leads to another file, or to none */
  async look(): Promise<void> {
    if (this.#handle === undefined) return;
    const [own, named] = await Promise.all([this.#handle.stat(), stat(this.path).catch(() => undefined)]);
    if (own.ino !== named?.ino || own.dev !== named.dev) throw new Vanished(this.path);
  }

  /** Syncs it to disk. @throws the system error */
  async sync(): Promise<void> {
    await this.#handle?.datasync();
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  async #open(flags: number): Promise<FileHandle> {
    this.#handle = await open(this.path, constants.O_WRONLY | constants.O_APPEND | flags, OWNER_ONLY);
    return this.#handle;
  }
}

interface LogContent {
  readonly texts: readonly string[];
  /** The size of its complete lines, in bytes. */
  readonly length: number;
  /** The size of an incomplete last line, in bytes. */
  readonly torn: number;
  readonly next?: LogName | undefined;
}

interface Line {
  readonly seq: number;
  readonly text: string;
}

/**
 * Reads a log whose first entry has the number `first`. An incomplete last line is ignored: the process or the machine stopped
 * while writing it.
 *
 * @throws UnusableDocument if a line is damaged, missing or misplaced
 */
export async function readLog(path: string, first = 1): Promise<LogContent> {
  const bytes = await bytesOf(path);
  const seed = seedOf(path);
  const texts: string[] = [];
  let problem: UnusableDocument | undefined;
  let link: { readonly name: LogName; readonly after: number } | undefined;
  let [length, number] = [0, 0];
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, length)) {
    number += 1;
    const expected = first + texts.length;
    const line = lineOf(bytes.subarray(length, end), seed);
    const name = line?.text.startsWith("{") ? parseLogName(JSON.parse(line.text).next) : undefined;
    if (line === undefined) problem ??= damaged(path, number, `is damaged here (byte ${length})`);
    else if (name !== undefined && (link === undefined || compareLogNames(name, link.name) >= 0))
      link = { name, after: line.seq - 1 };
    else if (name === undefined && line.seq !== expected)
      problem ??= damaged(path, number, `has the entry ${line.seq} here, but ${expected} was expected`);
    else if (problem === undefined && line.text.startsWith("[")) texts.push(line.text);
    length = end + 1;
  }
  // The line is complete, but its terminator has changed.
  if (length < bytes.length && lineOf(bytes.subarray(length, -1), seed) !== undefined)
    problem ??= damaged(path, number + 1, `is damaged here (byte ${bytes.length - 1})`);
  // What a process wrote after another had taken the folder over was never acknowledged.
  const counted = link === undefined ? texts.length : link.after - first + 1;
  if (counted > texts.length || link === undefined) {
    if (problem !== undefined) throw problem;
    if (link !== undefined)
      throw damaged(
        path,
        number,
        `ends with the entry ${first + texts.length - 1}, but the last one was ${link.after}`,
      );
  }
  return { texts: texts.slice(0, counted), length, torn: bytes.length - length, next: link?.name };
}

/** Reads a log of format 1, whose lines have no numbers. @throws UnusableDocument */
export async function readLogOfFormat1(path: string): Promise<readonly string[]> {
  const lines = (await bytesOf(path)).toString("latin1").split("\n").slice(0, -1);
  return lines.map((line, at) => {
    const text = textOf(Buffer.from(line, "latin1"), 0);
    if (text === undefined) throw damaged(path, at + 1, "is damaged here");
    return text;
  });
}

/** What is readable in a log regardless of damage: the entries in order, up to the first missing one. */
export async function salvageLog(
  path: string,
  first: number,
): Promise<LogContent & { readonly lost: number }> {
  const found = new Map<number, string>();
  const links: { readonly name: LogName; readonly after: number }[] = [];
  const lines = (await bytesOf(path)).toString("latin1").split(/\r*\n/);
  const torn = lines.pop() ?? "";
  for (const line of lines) {
    const { seq = -1, text = "" } = lineOf(Buffer.from(line, "latin1"), seedOf(path)) ?? {};
    const name = text.startsWith("{") ? parseLogName(JSON.parse(text).next) : undefined;
    if (name !== undefined) links.push({ name, after: seq - 1 });
    else if (text.startsWith("[")) found.set(seq, found.get(seq) ?? text);
  }
  const link = links.sort((a, b) => compareLogNames(a.name, b.name)).at(-1);
  const texts: string[] = [];
  for (let seq = first; found.has(seq) && seq <= (link?.after ?? seq); seq += 1)
    texts.push(found.get(seq) as string);
  const last = Math.min(link?.after ?? Number.POSITIVE_INFINITY, Math.max(first - 1, ...found.keys()));
  const [next, lost] = [link?.name, Math.max(last, link?.after ?? 0) - (first - 1) - texts.length];
  return { texts, length: 0, torn: torn.length, next, lost };
}

function lineOf(bytes: Buffer, seed: number): Line | undefined {
  const [, seq, text = ""] = /^(\d+) (.*)$/s.exec(textOf(bytes, seed) ?? "") ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), text };
}

async function bytesOf(path: string): Promise<Buffer> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new UnusableDocument([
      { file: path, path: "", message: `is missing, and it holds the latest changes: ${ADVICE}` },
    ]);
  refuseSpecialFile(path, found);
  return readFile(path);
}

const ADVICE = "restore the files from a backup, or save what is left with serve --data DIR --data-repair";

/** A problem of a data folder, and what to do about it. */
export const damaged = (file: string, line: number | undefined, message: string): UnusableDocument =>
  new UnusableDocument([
    { file, ...(line && { line, column: 1 }), path: "", message: `${message}: ${ADVICE}` },
  ]);
