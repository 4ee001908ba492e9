import { readFile } from "node:fs/promises";
import type { ParsedDocument } from "../kernel/document.js";
import { parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";

/** Reads a JSON or YAML file, or says why it cannot be read. */
export async function readDocument(file: string): Promise<ParsedDocument | { readonly problems: Problem[] }> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return { problems: [{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }] };
  }
  return parseDocument(text, { file });
}
