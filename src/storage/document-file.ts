import { readFileSync, type Stats } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { parseDocument } from "../kernel/document.js";
import { hasCode, reasonOf } from "../kernel/errors.js";
import { jsonChunks } from "../kernel/http/answer.js";
import { UnusableDocument } from "../kernel/problems.js";
import { sizeText } from "../kernel/units.js";
import { LIST_LEVELS } from "./port.js";

/** A larger document would exceed the longest string, so it could not be read back. */
const MAX_BYTES = 400 * 1024 * 1024;
const TOO_LARGE = `has more than ${sizeText(MAX_BYTES)}`;

/** Syncs the entries of a folder to disk, where the system supports it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const unusable = (file: string, message: string) => new UnusableDocument([{ file, path: "", message }]);

/** @throws UnusableDocument if this is not a regular file */
export function refuseSpecialFile(file: string, found: Stats): void {
  if (found.isFile()) return;
  const kind = found.isDirectory() ? "a folder" : "not a regular file";
  throw unusable(file, `is ${kind}, and must be a file: move it away`);
}

const ADVICE = "restore the files from a backup, or delete those of this sandbox";

/** A problem of a data folder, and what to do about it. */
export const damaged = (file: string, line: number | undefined, message: string): UnusableDocument =>
  new UnusableDocument([
    { file, ...(line && { line, column: 1 }), path: "", message: `${message}: ${ADVICE}` },
  ]);

/** The content of a file; undefined if there is none. @throws UnusableDocument if it cannot be read */
export async function contentOf(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer | undefined> {
  try {
    const found = await stat(path);
    refuseSpecialFile(path, found);
    if (found.size > maxBytes) throw unusable(path, TOO_LARGE);
    // In one piece: a text read in chunks would be concatenated before it is parsed.
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error instanceof UnusableDocument ? error : unusable(path, `cannot be read: ${reasonOf(error)}`);
  }
}

/** The end of a document: the checksum of all preceding bytes, as the last field under `simulator`. */
const sealOf = (sum: number): string => `,\n"checksum":"${sum.toString(16).padStart(8, "0")}"\n}\n}\n`;
const SEAL_BYTES = sealOf(0).length;
const END = "\n}\n}";

/**
 * A JSON document in a file, as an adapter of lowdb. It is read and written in chunks, and replaced atomically: a reader, even
 * after a crash, finds either the old document or the new one. Any iterable in it is written as a list.
 */
export class DocumentFile<T extends object> implements Adapter<T> {
  /** The size in bytes of the document that was last read or written. */
  size = 0;
  isSealed = false;

  /** `unfinished`: its name until all of it is on disk; then `mayReplace` throws if it must not be put in place. */
  constructor(
    readonly path: string,
    readonly unfinished = `${path}.new`,
    private readonly mayReplace: () => Promise<void> = async () => {},
  ) {}

  /** Null if there is no file. @throws UnusableDocument with the location if it is not JSON or cannot be read */
  async read(): Promise<T | null> {
    const bytes = await contentOf(this.path, MAX_BYTES);
    if (bytes === undefined) return null;
    this.size = bytes.length;
    const seal = bytes.length - SEAL_BYTES;
    this.isSealed = seal > 0 && bytes.toString("latin1", seal) === sealOf(crc32(bytes.subarray(0, seal)));
    return this.#parse(bytes.toString());
  }

  async #parse(text: string): Promise<T> {
    try {
      // An editor may have added a byte order mark, which the checksum reveals.
      return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const { problems = [] } = await parseDocument(text, { file: this.path, format: "json" });
      throw new UnusableDocument(
        problems.map((problem) => ({ ...problem, message: `${problem.message}: ${ADVICE}` })),
      );
    }
  }

  /** Its last field must be `simulator`, a nonempty object. @throws Error if it is too large, or of the system; the old document stays */
  async write(document: T): Promise<void> {
    const size = await writeSynced(this.unfinished, document);
    await this.mayReplace();
    await rename(this.unfinished, this.path);
    this.size = size;
  }
}

/** Writes a document to a new file and syncs it. Resolves with its size in bytes. */
async function writeSynced(path: string, document: object): Promise<number> {
  const handle = await open(path, "w", 0o600);
  try {
    let text = "";
    let [size, sum] = [0, 0];
    const flush = async ({ isLast = false } = {}) => {
      const keep = END.length;
      const bytes = Buffer.from(text.slice(0, text.length - keep));
      text = text.slice(text.length - keep);
      sum = crc32(bytes, sum);
      const all = isLast ? Buffer.concat([bytes, Buffer.from(sealOf(sum))]) : bytes;
      size += all.length;
      if (size > MAX_BYTES) throw new Error(`the document ${TOO_LARGE}`);
      await handle.writeFile(all);
    };
    for await (const chunk of jsonChunks(document, { levels: LIST_LEVELS, gap: "\n" })) {
      text += chunk;
      await flush();
    }
    await flush({ isLast: true });
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}
