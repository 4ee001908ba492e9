/** The files that commands read and write. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { type ParsedDocument, parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { isKeyOf } from "../kernel/objects.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { refused } from "./command.js";
import type { Terminal } from "./terminal.js";

/** @throws UnusableDocument */
export const readText = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error) => {
    throw new UnusableDocument([{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }]);
  });

/** Reads a JSON or YAML file, or reports why it cannot be read. */
export async function readDocument(
  file: string,
): Promise<ParsedDocument | { readonly problems: readonly Problem[] }> {
  try {
    return await parseDocument(await readText(file), { file });
  } catch (error) {
    if (error instanceof UnusableDocument) return { problems: error.problems };
    throw error;
  }
}

type Valid<T> =
  | { readonly value: T; readonly problems?: undefined; readonly locate: ParsedDocument["locate"] }
  | { readonly value?: undefined; readonly problems: readonly Problem[] };

/** Reads a JSON or YAML file that has to fit a schema, or reports why it cannot be used. */
export async function readValid<T>(file: string, schema: Schema<T>): Promise<Valid<T>> {
  const document = await readDocument(file);
  if (document.problems !== undefined) return document;
  const { value, locate } = document;
  const validate = createAjv().compile<T>(schema);
  return validate(value)
    ? { value, locate }
    : { problems: locate(schemaProblems(validate.errors, value, [])) };
}

/** Prints a report, or writes it to the file in an option, with its folder. @throws UnusableDocument */
export async function printOrWrite(
  text: string,
  file: string | undefined,
  { out }: Terminal,
  option = "--out",
): Promise<void> {
  if (file === undefined) return out(text);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    refused(`cannot write the report to ${file}: ${reasonOf(error)}`, option);
  }
}

const REPORTER_OF: Readonly<Record<string, string>> = { ".json": "json", ".md": "markdown", ".html": "html" };

/** The reporter for a file's extension; `pretty` if there is none. */
export function reporterNamed<R extends { readonly pretty: unknown }>(reporters: R, file?: string): keyof R {
  const name = file === undefined ? undefined : REPORTER_OF[extname(file)];
  return name !== undefined && isKeyOf(reporters, name) ? name : "pretty";
}
