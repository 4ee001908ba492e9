import { createAjv } from "../kernel/ajv.js";
import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { coverageSchema } from "../sandbox/coverage.js";
import { readDocument } from "./read-document.js";

/** Reads what `coverage --reporter json` has written. */
export async function readCoverage(
  files: readonly string[],
): Promise<{ readonly reports: readonly CoverageReport[]; readonly problems: readonly Problem[] }> {
  const validate = createAjv().compile<CoverageReport>(coverageSchema);
  const reports: CoverageReport[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const document = await readDocument(file);
    if (document.problems !== undefined) problems.push(...document.problems);
    else if (validate(document.value)) reports.push(document.value);
    else problems.push(...document.locate(schemaProblems(validate.errors, document.value, [])));
  }
  return { reports, problems };
}
