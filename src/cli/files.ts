/** The files that commands read and write. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { type ParsedDocument, parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { isKeyOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { refuse, type Terminal } from "./terminal.js";

/** Reads a JSON or YAML file, or reports why it cannot be read. */
export async function readDocument(file: string): Promise<ParsedDocument | { readonly problems: Problem[] }> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    return { problems: [{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }] };
  }
  return parseDocument(text, { file });
}

/** Prints a report, or writes it to the file in an option, with its folder; returns false, with a message, if that fails. */
export async function printOrWrite(
  text: string,
  file: string | undefined,
  terminal: Terminal,
  option = "--out",
): Promise<boolean> {
  if (file === undefined) terminal.out(text);
  else {
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    } catch (error) {
      refuse(terminal, [{ path: option, message: `cannot write the report to ${file}: ${reasonOf(error)}` }]);
      return false;
    }
  }
  return true;
}

const REPORTER_OF: Readonly<Record<string, string>> = { ".json": "json", ".md": "markdown", ".html": "html" };

/** The reporter for a file's extension; `pretty` if there is none. */
export function reporterNamed<R extends { readonly pretty: unknown }>(reporters: R, file?: string): keyof R {
  const name = file === undefined ? undefined : REPORTER_OF[extname(file)];
  return name !== undefined && isKeyOf(reporters, name) ? name : "pretty";
}
