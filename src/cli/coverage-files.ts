import { readFile, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import type { CoverageReporter } from "../coverage/reporters.js";
import { COVERAGE_REPORTERS } from "../coverage/reporters.js";
import { createAjv } from "../kernel/ajv.js";
import { parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { CoverageReport } from "../sandbox/coverage.js";
import { coverageSchema } from "../sandbox/coverage.js";

/** Reads what `coverage --reporter json` has written. */
export async function readCoverage(
  files: readonly string[],
): Promise<{ readonly reports: readonly CoverageReport[]; readonly problems: readonly Problem[] }> {
  const validate = createAjv().compile<CoverageReport>(coverageSchema);
  const reports: CoverageReport[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      problems.push({ file, path: "", message: `cannot be read: ${reasonOf(error)}` });
    });
    if (text === undefined) continue;
    const document = await parseDocument(text, { file, format: "json" });
    if (document.problems !== undefined) problems.push(...document.problems);
    else if (validate(document.value)) reports.push(document.value);
    else problems.push(...document.locate(schemaProblems(validate.errors, document.value, [])));
  }
  return { reports, problems };
}

const REPORTER_OF: Readonly<Record<string, CoverageReporter>> = {
  ".json": "json",
  ".md": "markdown",
  ".html": "html",
};

/** The reporter that the name of a file asks for. */
export const reporterOf = (file: string): CoverageReporter => REPORTER_OF[extname(file)] ?? "pretty";

/** Writes a report into a file. @returns what is wrong where that is not possible */
export async function writeCoverage(
  file: string,
  report: CoverageReport,
  reporter: CoverageReporter,
): Promise<Problem[]> {
  try {
    await writeFile(file, COVERAGE_REPORTERS[reporter](report));
    return [];
  } catch (error) {
    return [{ file, path: "", message: `cannot be written: ${reasonOf(error)}` }];
  }
}
