import { readFileSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Adapter } from "lowdb";
import { jsonPieces } from "../http/json-stream.js";
import { parseDocument } from "../kernel/document.js";
import { hasCode } from "../kernel/os-errors.js";
import { UnusableDocument } from "../kernel/problems.js";
import { sizeText } from "../kernel/size.js";
import { Slices } from "../kernel/slices.js";

/** So many characters are written at once. */
const CHUNK_CHARACTERS = 64 * 1024;
/** A larger document fits no text, so it could not be read back. */
const MAX_BYTES = 400 * 1024 * 1024;
const TOO_LARGE = `has more than ${sizeText(MAX_BYTES)}`;
/** Lists stand as deep: `simulator.start.state.messages.records`. */
const LEVELS = 5;

/** What a document is called until all of it is on the disk. */
const unfinished = (path: string): string => `${path}.new`;

/** Writes what the system holds of a folder's entries to the disk, where that can be done. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * A JSON document in a file, as an adapter of lowdb. It is read and written in slices, and replaced as a whole: whoever reads
 * it, after a crash too, finds the document of before or the new one. Any iterable in it is written as a list.
 */
export class DocumentFile<T extends object> implements Adapter<T> {
  #size = 0;

  constructor(readonly path: string) {}

  /** The bytes of the document that was read or written last. */
  get size(): number {
    return this.#size;
  }

  /** Null where there is no file. @throws UnusableDocument with the place where it is no JSON; the system's error */
  async read(): Promise<T | null> {
    const found = await stat(this.path).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    });
    if (found === undefined) return null;
    this.#size = found.size;
    // In one piece: a text that comes in many is put together before it is parsed.
    if (found.size <= MAX_BYTES) return this.#parse(readFileSync(this.path, "utf8"));
    throw new UnusableDocument([{ file: this.path, path: "", message: TOO_LARGE }]);
  }

  async #parse(text: string): Promise<T> {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const { problems = [] } = await parseDocument(text, { file: this.path, format: "json" });
      throw new UnusableDocument(problems);
    }
  }

  /** @throws Error where it is too large, or of the system; the document of before stays */
  async write(document: T): Promise<void> {
    const path = unfinished(this.path);
    try {
      this.#size = await writeSynced(path, document);
      await rename(path, this.path);
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
    await syncFolder(dirname(this.path));
  }
}

/** Writes a document to a file of its own and to the disk. Resolves with its size in bytes. */
async function writeSynced(path: string, document: object): Promise<number> {
  const handle = await open(path, "w");
  try {
    const slices = new Slices();
    let text = "";
    let size = 0;
    const flush = async () => {
      const bytes = Buffer.from(text);
      text = "";
      size += bytes.length;
      if (size > MAX_BYTES) throw new Error(`the document ${TOO_LARGE}`);
      await handle.writeFile(bytes);
    };
    for (const piece of jsonPieces(document, LEVELS, "\n")) {
      text += piece;
      if (text.length >= CHUNK_CHARACTERS) await flush();
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
    text += "\n";
    await flush();
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}
