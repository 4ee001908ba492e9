import { crc32 } from "node:zlib";
import type { Adapter } from "lowdb";
import { parseDocument } from "../kernel/document.js";
import { keysOf } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { SandboxDocument } from "../sandbox/document.js";
import type { Store } from "./port.js";

/** The last field of a document: the checksum of everything before. */
const sealOf = (sum: number): string => `,\n"checksum":"${sum.toString(16).padStart(8, "0")}"\n}\n}\n`;
const SEAL_LENGTH = sealOf(0).length;

/** The lines of records in the documents written before: a record never changes. */
export type RecordLines = WeakMap<object, string>;

function lineOf(record: object, lines: RecordLines): string {
  const known = lines.get(record);
  const line = known ?? `\n${JSON.stringify(record)}`;
  if (known === undefined) lines.set(record, line);
  return line;
}

/** JSON that people can read, with a record in each line. @throws RangeError if it is longer than the longest string */
function bytesOf({ simulator, ...collections }: SandboxDocument, lines: RecordLines = new WeakMap()): Buffer {
  const lists = keysOf(collections).map(
    (name) =>
      `${JSON.stringify(name)}:[${collections[name].map((record) => lineOf(record, lines)).join(",")}\n],\n`,
  );
  const fields = Object.entries(simulator).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const bytes = Buffer.from(`{\n${lists.join("")}"simulator":{\n${fields.join(",\n")}`);
  return Buffer.concat([bytes, Buffer.from(sealOf(crc32(bytes)))]);
}

/** One document of a store, as an adapter of lowdb. */
export class StoredDocument implements Adapter<SandboxDocument> {
  /** How long it is, in bytes. */
  size = 0;
  /** What to call it in messages. */
  name = "";
  /** What was read is not as it was written. */
  isEdited = false;
  #text = "";

  constructor(
    private readonly store: Store,
    private readonly id: string,
    private readonly lines: RecordLines,
  ) {}

  /** What was read may be anything. @throws UnusableDocument, with the place, if it is not JSON or cannot be read */
  async read(): Promise<SandboxDocument> {
    const { name, text } = await this.store.read(this.id);
    this.name = name;
    this.#text = text;
    this.isEdited = !text.endsWith(sealOf(crc32(text.slice(0, -SEAL_LENGTH))));
    if (!this.isEdited) return JSON.parse(text);
    return (await this.#parsed()).value as SandboxDocument;
  }

  async write(document: SandboxDocument): Promise<void> {
    const bytes = bytesOf(document, this.lines);
    this.size = bytes.length;
    await this.store.write(this.id, bytes);
  }

  /** An error about what was read, with the lines of its problems. */
  async located(error: unknown): Promise<unknown> {
    if (!(error instanceof UnusableDocument)) return error;
    return new UnusableDocument((await this.#parsed()).locate(error.problems));
  }

  async #parsed() {
    const document = await parseDocument(this.#text, { file: this.name, format: "json" });
    if (document.problems !== undefined) throw new UnusableDocument(document.problems);
    return document;
  }
}
