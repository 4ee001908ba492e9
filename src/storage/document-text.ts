/** The text of a document: JSON that people can read, with a record in each line and a checksum at its end. */

import { crc32 } from "node:zlib";
import { parseDocument } from "../kernel/document.js";
import { keysOf } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { SandboxDocument } from "../sandbox/document.js";

/** The last field of a document: the checksum of everything before. */
const sealOf = (sum: number): string => `,\n"checksum":"${sum.toString(16).padStart(8, "0")}"\n}\n}\n`;
const SEAL_CHARACTERS = sealOf(0).length;

const fieldText = (name: string, value: unknown): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`;

const listText = (name: string, records: readonly object[]): string =>
  `${JSON.stringify(name)}:[${records.map((record) => `\n${JSON.stringify(record)}`).join(",")}\n],\n`;

/** @throws RangeError if it is longer than the longest string */
export function textOf({ simulator, ...collections }: SandboxDocument): string {
  const lists = keysOf(collections).map((name) => listText(name, collections[name]));
  const section = Object.entries(simulator).map(([name, value]) => fieldText(name, value));
  const text = `{\n${lists.join("")}"simulator":{\n${section.join(",\n")}`;
  return text + sealOf(crc32(text));
}

interface ReadDocument {
  readonly value: unknown;
  /** Its text is not as it was written. */
  readonly isEdited: boolean;
  /** An error with the lines of its problems, and the same error otherwise. */
  located(error: unknown): Promise<unknown>;
}

/** @throws UnusableDocument with the place if it is not JSON */
export async function readText(text: string, file: string): Promise<ReadDocument> {
  const begun = text.slice(0, -SEAL_CHARACTERS);
  const isEdited = !text.endsWith(sealOf(crc32(begun)));
  const parsed = async () => {
    const document = await parseDocument(text, { file, format: "json" });
    if (document.problems !== undefined) throw new UnusableDocument(document.problems);
    return document;
  };
  // An unchanged document has no duplicate keys, and needs no search for them.
  const document = isEdited ? await parsed() : undefined;
  const duplicates = document?.duplicateKeys() ?? [];
  if (duplicates.length > 0) throw new UnusableDocument(duplicates);
  return {
    value: document === undefined ? JSON.parse(text) : document.value,
    isEdited,
    located: async (error) =>
      error instanceof UnusableDocument
        ? new UnusableDocument((document ?? (await parsed())).locate(error.problems))
        : error,
  };
}
