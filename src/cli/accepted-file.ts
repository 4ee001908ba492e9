/** The file of known breaks (`--accept`). */
import { stat } from "node:fs/promises";
import type { Accepted } from "../challenge/report.js";
import { acceptedSchema } from "../challenge/report.js";
import { createAjv } from "../kernel/ajv.js";
import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import { readDocument } from "./read-document.js";
import { writeReport } from "./write-report.js";

interface Read {
  readonly accepted: readonly Accepted[];
  readonly problems: readonly Problem[];
}

/** @param mayBeMissing it is about to be written */
export async function readAccepted(file: string | undefined, mayBeMissing: boolean): Promise<Read> {
  if (file === undefined) return { accepted: [], problems: [] };
  if (mayBeMissing && (await stat(file).catch(() => undefined)) === undefined)
    return { accepted: [], problems: [] };
  const document = await readDocument(file);
  if (document.problems !== undefined) return { accepted: [], problems: document.problems };
  const validate = createAjv().compile<{ accepted: Accepted[] }>(acceptedSchema);
  if (validate(document.value)) return { accepted: document.value.accepted, problems: [] };
  return {
    accepted: [],
    problems: document.locate(schemaProblems(validate.errors, document.value, [])),
  };
}

/** @returns what is wrong where it cannot be written */
export const writeAccepted = (file: string, accepted: readonly Accepted[]): Promise<Problem[]> =>
  writeReport("--accept", file, `${JSON.stringify({ accepted }, null, 2)}\n`);
